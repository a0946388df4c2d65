import type { Evidence } from '../../src/domain/evidence.ts'
import { checkClaims } from '../../src/evidence/check.ts'
import { languages } from './languages.ts'
import { pairPages } from './pairs/index.ts'
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

/** What is said of each sentence: two lines for each. */
export function* record(): Generator<string> {
  for (const [page, sentences] of cases) {
    const claims = sentences.map((text) => ({ text, sources: [1] }))
    for (const evidence of checkClaims(claims, () => ({ text: page }), { budgetMs: Number.POSITIVE_INFINITY }))
      yield `${evidence.sentence}\n  ${lineOf(evidence)}\n`
  }
}

if (import.meta.main) for (const lines of record()) process.stdout.write(lines)
