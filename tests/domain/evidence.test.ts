import { expect, test } from 'bun:test'
import { type Evidence, evidenceText, type Judgement, type Verdict, verdicts } from '@csp/evidence/evidence'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { receiptHtml } from '../../src/api/endpoints/receipts/html.ts'
import { receiptMarkdown } from '../../src/api/endpoints/receipts/markdown.ts'
import { doubts } from '../../src/runtime/cli/ask/ask.ts'

/** A script of the page, whose types are those of a browser. */
const rendering: string = '../../src/web-ui/browser/verdict.ts'
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
