import { describe, expect, test } from 'bun:test'
import type { Evidence } from '@csp/evidence/evidence'
import { PageError } from '@csp/page-reader/page-error'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { mcpAskWeb } from '../../../../src/api/endpoints/mcp/ask-web.ts'
import { mcpFetch, mcpSearch } from '../../../../src/api/endpoints/mcp/chatgpt.ts'
import { mcpCheckClaim } from '../../../../src/api/endpoints/mcp/check-claim.ts'
import { mcpFetchPage } from '../../../../src/api/endpoints/mcp/fetch-page.ts'
import { mcpRecall } from '../../../../src/api/endpoints/mcp/recall.ts'
import { sourceText, toSource } from '../../../../src/api/endpoints/mcp/tool.ts'
import { mcpWebSearch } from '../../../../src/api/endpoints/mcp/web-search.ts'
import { pages } from '../../../support/scripted-executor.ts'

const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
const searches = [{ id: 's', query: 'q', results: pages(2) }]
const citation = { number: 2, url: 'https://site2.example/docs/page', title: 'Page 2', start: 9, end: 12 }
const sentence = { sentence: 'It is so.', start: 0, end: 9, score: 0.5, sources: [2] }
const first = '[1] Page 1 (2026-05-01)\nhttps://site1.example/docs/page'
const second = '[2] Page 2\nhttps://site2.example/docs/page'

function told(evidence?: readonly Evidence[], citations = [citation]) {
  const answer = { text: 'It is so.[2]', searches, citations, model: 'm', usage, ...(evidence && { evidence }) }
  return mcpAskWeb.format(answer as never, { question: 'q' } as never)
}

describe('ask_web', () => {
  test('lists for a model the sources that the text cites, or all where it cites none', () => {
    expect(told().text).toBe(`It is so.[2]\n\nSources:\n${second}`)
    expect(told(undefined, []).text).toBe(`It is so.[2]\n\nSources:\n${first}\n${second}`)
    expect(told().structured).toEqual({
      answer: 'It is so.[2]',
      sources: [
        expect.objectContaining({ number: 1, cited: false }),
        expect.objectContaining({ number: 2, cited: true }),
      ],
    })
  })

  test.each<[Partial<Evidence>, string | undefined, object]>([
    [{ verdict: 'found' }, undefined, {}],
    [{ verdict: 'partly' }, undefined, {}],
    [{ verdict: 'found', unseen: ['loud'] }, undefined, { unseen: ['loud'] }],
    [{ verdict: 'not-found' }, 'not found on the pages that it cites: ', {}],
    [
      { verdict: 'partly', missing: [{ kind: 'number', text: '900' }] } as never,
      'on none of the pages that it cites: the number 900: ',
      { missing: ['900'] },
    ],
    [
      { verdict: 'partly', doubt: { kind: 'order', said: 'a', page: 'b, then a' } } as never,
      'in the other order on the page: b, then a: ',
      { doubt: 'in the other order on the page: b, then a' },
    ],
    [{ verdict: 'found', judge: { says: 'contradicted' } } as never, 'contradicted, as the judge says: ', {}],
    [{ verdict: 'found', passage: { text: 'So it is.', source: 2 } } as never, undefined, { passage: 'So it is.' }],
  ])('says of a sentence with %j what to check: %p', (more, concern, found) => {
    const { text, structured } = told([{ ...sentence, ...more } as Evidence])
    const checks = concern === undefined ? '' : `\n\nCheck before use:\n- ${concern}It is so.`
    expect(text).toBe(`It is so.[2]\n\nSources:\n${second}${checks}`)
    expect(structured['evidence']).toEqual([
      { sentence: 'It is so.', verdict: more.verdict as never, score: 0.5, sources: [2], ...found },
    ])
  })

  test('keeps the lines of a question, of which a search gets one', () => {
    expect(mcpAskWeb.schema.parse({ question: 'one\ntwo' }).question).toBe('one\ntwo')
    expect(mcpWebSearch.schema.parse({ query: 'one\ntwo' }).query).toBe('one two')
  })
})

test('web_search takes twenty sites of each kind, and no more', () => {
  const sites = Array.from({ length: 21 }, (_, index) => `site${index}.example`)
  for (const name of ['include_domains', 'exclude_domains']) {
    const takes = (list: readonly string[]) => mcpWebSearch.schema.safeParse({ query: 'q', [name]: list }).success
    expect([takes(sites.slice(1)), takes(sites)]).toEqual([true, false])
  }
})

test('a page from memory has the day on which it was seen', () => {
  const page = { title: 'A\nB', url: 'https://a.example/', source: 'memory', seenAt: '2026-11-20T10:00:00Z' }
  expect(sourceText(page, 3)).toBe('[3] A B [from memory, seen 2026-11-20]\nhttps://a.example/')
  expect(toSource(page, 3)).toStrictEqual({ number: 3, title: 'A\nB', url: page.url, seen_at: page.seenAt })
})

test('recall lists what it has, or says what to do where it has nothing', () => {
  const textOf = (results: ReturnType<typeof pages>) =>
    mcpRecall.format({ searches: [{ ...searches[0], results }] } as never, { query: 'bees' } as never).text
  expect(textOf(pages(2))).toBe(`${first}\nExcerpt 1\n\n${second}\nExcerpt 2`)
  expect(textOf([])).toBe('No page that was seen before fits "bees". Use web_search.')
})

describe('nothing of a page is live in the texts of tools, where hosts show them as Markdown', () => {
  const hostile = [
    '](https://evil2.example/p) ![a](//evil2.example/p.png)',
    '<img src=x onerror=alert(1)>',
    '[1]: //evil2.example/p',
    '`x <svg onload=y> `` z',
    '![x][1] <https://evil2.example>',
    "```mermaid A@{ img: 'https:evil.example' }",
    '$\\href{https:evil.example}{x}$',
  ]
  /** The address of the page itself is a link, as it should be. */
  const foreign = (text: string) =>
    liveMarkup(text).filter((line) => !/ https:\/\/a\.example(?:\/|$)|: math :\/\/a$/.test(line))

  test.each(hostile)('%j as a title, an excerpt and an author', (words) => {
    const page = { title: words, url: 'https://a.example/', snippet: words, source: 's' }
    expect(foreign(sourceText(page, 1))).toEqual([])
    const read = { url: page.url, finalUrl: page.url, title: words, author: words, content: 'x', totalCharacters: 1 }
    const { text } = mcpFetchPage.format({ ...read, offset: 0, remaining: 0 } as never)
    expect(foreign(text.slice(0, text.indexOf('Characters: ')))).toEqual([])
  })

  test.each([
    'https://a.example/l"><img src=x onerror=alert(1)>',
    'https://a.example/x //evil2.example/p',
    'https://a.example/x) ![a](//evil2.example/p.png)',
    'https://a.example/?q=`<b>`',
    'https://a.example/#\n[1]: //evil2.example',
  ])('the address %j', (url) => {
    expect(foreign(sourceText({ title: 'A', url, source: 's' }, 1))).toEqual([])
  })

  test.each([...hostile, ...Object.values(hostileMarkdown).filter((text) => text.length < 400)])(
    'in the JSON of search and fetch, which programs read as it is: %j',
    (words) => {
      const results = [{ title: words, url: 'https://a.example/', snippet: '', source: 's' }]
      const list = mcpSearch.format({ searches: [{ id: 's', query: 'q', results }] } as never, { query: 'q' } as never)
      const read = { url: 'https://a.example/', finalUrl: 'https://a.example/', content: 'x', remaining: 0 }
      const page = mcpFetch.format({ ...read, title: words, author: words } as never)
      for (const { structured, text } of [list, page]) {
        expect(JSON.parse(text)).toEqual(structured)
        expect(foreign(text)).toEqual([])
      }
    },
  )

  test.each([...hostile, 'b ` c', 'the sea `<img src=x onerror=alert(1)>` and', '`![x](//evil.example/p.png)`'])(
    'in a check of a claim: %j',
    async (words) => {
      const pageWith = async (url: string) => {
        const page = { url, finalUrl: url, title: words, content: `Seals bark loudly at night in the north: ${words}` }
        return { ...page, status: 200, contentType: 'text/html', format: 'markdown', links: [], offset: 0 } as never
      }
      const text = `Seals bark loudly at night in the north: "half \` of it" 4711 ${words}`
      const sources = [{ url: 'https://a.example/' }, { text: `Seals bark loudly at night in the north: ${words}` }]
      const reply = await mcpCheckClaim.check({ text, sources }, ({ url }) => pageWith(url))
      expect(foreign(reply.text)).toEqual([])
      const fails = async () => {
        throw new PageError('failed', words)
      }
      const unread = await mcpCheckClaim.check({ text, sources: [{ url: `https://a.example/${words}` }] }, fails)
      expect(foreign(unread.text)).toEqual([])
    },
  )

  test('in what ask_web says to check: half of a code span in one sentence and half in the next', () => {
    const missing = [{ kind: 'quotation', text: 'half ` of it' }]
    const words = 'the sea `<img src=x onerror=alert(1)>` and'
    const { text } = told([{ ...sentence, verdict: 'not-found', missing, sentence: words } as never])
    expect(foreign(text).filter((line) => !line.endsWith(' https://site2.example/docs/page'))).toEqual([])
  })
})
