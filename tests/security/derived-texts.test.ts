import { describe, expect, test } from 'bun:test'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { receiptMarkdown } from '../../src/api/endpoints/receipts/markdown.ts'
import { examplePage } from '../../src/api/serve/example.ts'
import { collect } from '../../src/domain/answer.ts'
import { GroundedAnswer } from '../../src/executor/answer/answer-text.ts'
import type { SourcePages } from '../../src/executor/executor.ts'
import { checked } from '../../src/executor/layers/evidence/checked.ts'
import { fakeExecutor, plays, requestFor } from '../support/fake-executor.ts'

// What is made of an answer or a page leaves as dead as the answer: its sentences, quotations and passages, and a receipt.
const url = 'https://seals.example/a'
const results = [{ title: 'Seals', url, snippet: 'Seals bark.', source: 'scripted' }]
const texts: Readonly<Record<string, string>> = {
  ...hostileMarkdown,
  'an image in code': '`![x](//evil.example/p.png)`',
  'an element in code': '`<img src=x onerror=alert(1)>` and **`<b onclick=x>`**',
}

const pagesWith = (content: string): SourcePages => ({
  source: 'pages',
  async *fill(rows) {
    yield* []
    return { rows, late: 0, isEnough: true }
  },
  begin() {},
  known: async () => undefined,
  page: async (address) => ({ ...examplePage(address), content }),
})

async function checkedAnswer(text: string) {
  const answer = new GroundedAnswer()
  answer.addSources(results)
  const written = `Seals bark loudly at night in the cold north: ${text.replace(/\s+/g, ' ')} [1].`
  const parts = [...answer.push(written), ...answer.end()]
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const executor = checked()(
    fakeExecutor(
      plays([
        { type: 'search-start', id: 'one', query: 'seals' },
        { type: 'search-results', id: 'one', results },
        ...parts,
        { type: 'done', reason: 'stop', usage, model: 'scripted' },
      ]),
    ),
  )
  const { signal } = new AbortController()
  const pages = pagesWith(`Seals bark loudly at night in the cold north: ${text}`)
  return collect(executor.search(requestFor('what', { want: 'answer' }), { signal, pages }))
}

describe('evidence', () => {
  test.each(Object.entries(texts))('quotes %s dead', async (_, text) => {
    const { evidence = [], citations } = await checkedAnswer(text)
    expect(evidence.length).toBeGreaterThan(0)
    for (const { sentence, passage, missing = [] } of evidence) {
      const quoted = [sentence, passage?.text ?? '', ...missing.map((one) => one.text)]
      for (const one of quoted) expect(liveMarkup(one)).toEqual([])
    }
    for (const { quote = '' } of citations) expect(liveMarkup(quote)).toEqual([])
  })
})

describe('a receipt as Markdown', () => {
  test.each(Object.entries(texts))('holds %s dead, and its sections are sections', (_, text) => {
    const answer = new GroundedAnswer()
    answer.addSources(results)
    const parts = [...answer.push(text), ...answer.end()]
    const written = parts.reduce((whole, part) => (part.type === 'text-delta' ? whole + part.text : whole), '')
    const markdown = receiptMarkdown({
      ...{ id: 'one', time: '2026-11-20T10:00:00.000Z', version: 1, question: text, model: 'm', strategy: 'fast' },
      ...{ backend: 'x', answer: written, owner: 'o' },
      sentences: [{ sentence: text, start: 0, end: 1, verdict: 'found', score: 1, sources: [1] }],
      sources: [{ number: 1, url, title: text, date: undefined, passages: [text], hash: undefined, text: undefined }],
    } as unknown as Parameters<typeof receiptMarkdown>[0])
    // The receipt's own address, which a formula that the answer left open may take in.
    const isOwn = (line: string) => line.includes(url) || line.endsWith(' ://s')
    expect(liveMarkup(markdown).filter((line) => !isOwn(line))).toEqual([])
  })
})
