import { expect, test } from 'bun:test'
import { checkSentences } from '@csp/evidence/check'
import { doubts, markDoubts } from '../../../../src/runtime/cli/ask/ask.ts'

// How `csp ask` shows what the cited pages do not bear out.

const text = 'The bridge opened in 1932 [1]. It was built by 900 workers.[1][2] Trolls guard it at night [2].'
const page = (words: string) => ({ text: words })
const pages = [page('The bridge opened in 1932.'), page('The bridge was built by 1,400 workers.')]
const citations = Array.from(text.matchAll(/\[(\d)\]/g), ({ index, 1: number }) => ({
  ...{ number: Number(number), start: index, end: index + 3 },
}))
const evidence = checkSentences({ text, citations }, (source) => pages[source - 1])
const shown = { output: { write: () => true, isTerminal: false, columns: 80 }, environment: {} }

test('a sentence that is not on its pages is marked, after its own markers', () => {
  expect(markDoubts({ text, evidence })).toBe(
    'The bridge opened in 1932 [1]. It was built by 900 workers.[1][2] [?] Trolls guard it at night [2]. [?]',
  )
})

test('all sentences are counted, and the list names those in doubt with what is missing', () => {
  expect(doubts({ evidence }, shown)).toBe(
    '\nSentences on the pages they cite: 1 found, 1 partly, 1 not found\nmissing: 900  It was built by 900 workers. [1][2]\nnot found  Trolls guard it at night. [2]\n',
  )
})

test('what is not in doubt is counted, too: partly found, and not read', () => {
  const calm = checkSentences({ text, citations }, () => undefined)
  const partly = [{ ...calm[0], verdict: 'partly' as const }, ...calm.slice(1)] as typeof calm
  expect(markDoubts({ text, evidence: partly })).toBe(text)
  expect(doubts({ evidence: partly }, shown)).toBe('\nSentences on the pages they cite: 1 partly, 2 not read\n')
})

test('an answer without doubts is left as it is', () => {
  expect(markDoubts({ text, evidence: evidence.slice(0, 1) })).toBe(text)
  expect(doubts({ evidence: evidence.slice(0, 1) }, shown)).toBe('\nSentences on the pages they cite: 1 found\n')
  expect(doubts({}, shown)).toBe('')
})
