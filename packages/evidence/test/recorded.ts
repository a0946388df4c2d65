import { pairPages } from '@csp/testing/pair-pages'
import { checkClaims, checkSentences } from '../src/check.ts'
import type { Evidence } from '../src/evidence.ts'
import { languages } from './languages.ts'
import { pairs } from './pairs.ts'

/** Sentences by the page that they are about. */
const cases: readonly (readonly [page: string, sentences: readonly string[]])[] = [
  ...Object.values(pairPages).flatMap((pages) =>
    pages.map(({ page, right, wrong }) => [page, [...right, ...wrong].map(([, text]) => text)] as const),
  ),
  ...Object.values(pairs).flatMap(({ right, wrong }) =>
    [...right, ...wrong].map(([text, page]) => [page, [text]] as const),
  ),
  ...Object.values(languages).map(
    ({ page, right, wrong, invented, unrelated }) =>
      [page, [...right, ...wrong.map(([text]) => text), invented, unrelated]] as const,
  ),
]

/** A line of what is said of a sentence. */
function lineOf({ verdict, score, missing = [], doubt, reason, passage, passages }: Evidence): string {
  return [
    verdict,
    score,
    reason,
    ...missing.map(({ kind, text }) => `${kind}: ${text}`),
    doubt && `${doubt.kind}: ${doubt.said} | ${doubt.page}`,
    ...(passages ?? (passage ? [passage] : [])).map(({ place, text, source }) => `@${source}:${place}+${text.length}`),
  ]
    .filter((one) => one !== undefined)
    .join('; ')
}

/** An answer in each language, over its page, the page of another language and one that cannot be read. */
const answers = Object.values(languages).map(({ page, right, wrong, invented, unrelated }, at, all) => {
  const other = all[(at + 1) % all.length]?.page ?? ''
  const text = `## Facts\n\n${right[0]} [1] ${wrong[0]?.[0]} [2][1]\n- ${invented} [1]\n- ${unrelated} [3]\n\n${right[1]} [2] It is so.\n1. **${right[0]}** [2] [3]\n${unrelated}[1][2]`
  const citations = [...text.matchAll(/\[(\d)\]/g)].map(({ 1: number, index }) => ({
    number: Number(number),
    start: index,
    end: index + 3,
  }))
  return { text, citations: citations.toReversed(), pages: [page, other] }
})

/** What is said of each sentence: two lines for each. */
export function* record(): Generator<string> {
  for (const [page, sentences] of cases) {
    const claims = sentences.map((text) => ({ text, sources: [1] }))
    for (const evidence of checkClaims(claims, () => ({ text: page }), unlimited))
      yield `${evidence.sentence}\n  ${lineOf(evidence)}\n`
  }
  for (const { pages, ...answer } of answers) {
    const pageOf = (source: number) => {
      const text = pages[source - 1]
      return text === undefined ? undefined : { text }
    }
    for (const evidence of checkSentences(answer, pageOf, unlimited)) {
      const { sentence, start, end, sources } = evidence
      yield `${sentence}\n  ${start}-${end} of ${sources.join()}: ${lineOf(evidence)}\n`
    }
  }
}

const unlimited = { budgetMs: Number.POSITIVE_INFINITY }

if (import.meta.main) for (const lines of record()) process.stdout.write(lines)
