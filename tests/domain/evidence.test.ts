import { expect, test } from 'bun:test'
import {
  concernsOf,
  doubtText,
  type Evidence,
  evidenceText,
  isDoubtful,
  type Judgement,
  lacksJudge,
  type Verdict,
  verdicts,
} from '@csp/evidence/evidence'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { receiptHtml } from '../../src/api/endpoints/receipts/html.ts'
import { receiptMarkdown } from '../../src/api/endpoints/receipts/markdown.ts'
import { doubts } from '../../src/runtime/cli/ask/ask.ts'

/** A script of the page, which has no types here. */
const rendering: string = '../../src/web-ui/browser/rendering.js'
const { checkedInWords } = (await import(rendering)) as { checkedInWords(evidence: readonly Evidence[]): string }
const shown = { output: { write: () => true, isTerminal: false, columns: 80 }, environment: {} }
const receipt = { ...{ id: 'i', time: 't', question: 'q', model: 'm', strategy: 'fast', answer: 'a' }, sources: [] }

/** The counts and the judge in a text of any of the forms. */
function readCounts(text: string): Readonly<Record<string, string>> {
  const plain = text.replace(/not\\?[ -](found|read)/g, 'not-$1')
  const counts = plain.matchAll(
    /(?<![=\d])(\d+) (found|partly|not-found|not-read)|(found|partly|not-found|not-read)=([1-9]\d*)/g,
  )
  const found = [...counts].map(([, count, verdict, other, its]) => [verdict ?? other ?? '', count ?? its ?? ''])
  return { ...Object.fromEntries(found), judge: /(?:judged by |judge=)(claude-haiku)/.exec(plain)?.[1] ?? '' }
}

const judgement: fc.Arbitrary<Judgement | undefined> = fc.constantFrom(
  undefined,
  { model: 'claude-haiku', says: 'supported', words: 'so' },
  { model: 'claude-haiku', problem: 'not-counted' },
  { problem: 'timeout' },
)

test('header, page, csp ask and receipts count the same sentences in the same way, and name the same judge', async () => {
  const some = fc.array(fc.tuple(fc.constantFrom<Verdict>(...verdicts), judgement), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(some, async (list) => {
      const sentences = list.map(
        ([verdict, judge]): Evidence => ({ sentence: 'S.', start: 0, end: 2, verdict, score: 1, sources: [1], judge }),
      )
      const header = readCounts(evidenceText(sentences))
      const counted = Object.groupBy(sentences, ({ verdict }) => verdict)
      for (const verdict of verdicts) expect(Number(header[verdict] ?? 0)).toBe(counted[verdict]?.length ?? 0)
      const markdown =
        receiptMarkdown({ ...receipt, sentences })
          .split('\n\n')
          .at(4) ?? ''
      const html = /<h2>Sentences<\/h2>\n<p>.*?<\/p>/.exec(await receiptHtml({ ...receipt, sentences }))?.[0] ?? ''
      const asked = doubts({ evidence: sentences }, shown).split('\n')[1] ?? ''
      for (const text of [checkedInWords(sentences), asked, markdown, html]) expect(readCounts(text)).toEqual(header)
    }),
    { numRuns: runs(100) },
  )
})

const plain: Evidence = { sentence: 'S.', start: 0, end: 2, verdict: 'found', score: 1, sources: [1] }
const number = { kind: 'number', text: '7' } as NonNullable<Evidence['missing']>[number]

test.each<[string, Partial<Evidence>, boolean, readonly string[]]>([
  ['that is found', {}, false, []],
  ['that is partly found', { verdict: 'partly', missing: [] }, false, []],
  ['that is not found', { verdict: 'not-found' }, true, []],
  ['whose number is missing', { missing: [number] }, true, ['on no page: the number 7']],
  [
    'in another order',
    { doubt: { kind: 'order', page: 'b before a' } as NonNullable<Evidence['doubt']> },
    true,
    ['in the other order on the page: b before a'],
  ],
  [
    'that a judge contradicts',
    { judge: { model: 'm', says: 'contradicted', words: 'it is 8' } },
    true,
    ['contradicted, as the judge says: it is 8'],
  ],
  [
    'that says too much',
    { judge: { model: 'm', says: 'not-said' } },
    true,
    ['not all of it is said, as the judge says'],
  ],
  ['that a judge supports', { judge: { model: 'm', says: 'supported', words: 'so' } }, false, []],
  ['that no judge has judged', { judge: { problem: 'timeout' } }, false, []],
])('whether a sentence is doubtful, and why: one %s', (_, parts, isOne, concerns) => {
  const evidence = { ...plain, ...parts }
  expect(isDoubtful(evidence)).toBe(isOne)
  expect(concernsOf(evidence)).toEqual(concerns)
})

test.each([
  [{ kind: 'order', said: 'a', page: 'b' }, 'in the other order on the page: b'],
  [{ kind: 'opposite', said: 'more', page: 'less' }, '“more”, where the page has “less”'],
  [{ kind: 'hedge', said: '', page: 'perhaps' }, 'without the “perhaps” of the page'],
  [{ kind: 'hedge', said: 'never', page: '' }, 'with a “never” that the page does not have'],
])('a doubt in words: %j', (doubt, words) => {
  expect(doubtText(doubt as unknown as Parameters<typeof doubtText>[0])).toBe(words)
})

test('a judge is named with a hundred characters at most; one that was asked and did not judge is lacking', () => {
  const judgedBy = (judge: Judgement | undefined) => [{ ...plain, judge }]
  const said = (model: string) => evidenceText(judgedBy({ model, says: 'supported', words: '' }))
  expect(said('m'.repeat(100))).toEndWith(` judge=${'m'.repeat(100)}`)
  expect(said(`${'m'.repeat(100)}n`)).toEndWith(` judge=${'m'.repeat(100)}`)
  expect(lacksJudge(judgedBy(undefined))).toBe(false)
  expect(lacksJudge(judgedBy({ problem: 'timeout' }))).toBe(true)
  expect(lacksJudge(judgedBy({ model: 'm', says: 'supported', words: '' }))).toBe(false)
})
