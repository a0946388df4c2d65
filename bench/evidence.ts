import { readFileSync } from 'node:fs'
import { checkClaims, maxPageLength } from '@csp/evidence/check'
import type { CitedPage } from '@csp/evidence/evidence'
import { PageIndex } from '@csp/evidence/page-index'
import { parseJson } from '@csp/lib/json'
import type { Pieces } from '@csp/lib/pieces'
import { createApp } from '../src/app.ts'
import { scriptedExecutor } from '../tests/support/scripted-executor.ts'
import { summarise } from './statistics.ts'

/** One claim of WiCE with the page that it cites. */
interface WiceRow {
  readonly label: 'supported' | 'partially_supported' | 'not_supported'
  readonly claim: string
  readonly evidence: readonly string[]
}

interface Judged {
  readonly label: WiceRow['label']
  readonly score: number
  readonly verdict: string
  readonly ms: number
}

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('Give the path of a file of WiCE, such as claim/dev.jsonl.')
const rows = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as WiceRow)
const app = createApp({ executor: scriptedExecutor([]), version: '0' })
const judged: Judged[] = []
for (const row of rows) judged.push(await judge(row))

const labels = ['supported', 'partially_supported', 'not_supported'] as const
const verdicts = ['found', 'partly', 'not-found', 'not-read'] as const
console.log(`${rows.length} claims; ms per claim: ${JSON.stringify(summarise(judged.map(({ ms }) => ms)))}`)
for (const label of labels) {
  const own = judged.filter((one) => one.label === label)
  const counts = verdicts.map((verdict) => `${verdict} ${own.filter((one) => one.verdict === verdict).length}`)
  console.log(`${label}: ${own.length}; ${counts.join(', ')}`)
}
report('supported against not_supported', ({ label }) => label === 'not_supported')
report('supported against the rest', ({ label }) => label !== 'supported')

/** As a caller asks. */
async function judge({ label, claim, evidence }: WiceRow): Promise<Judged> {
  const body = JSON.stringify({ claim, sources: [{ text: evidence.join('\n') }] })
  const startedAt = performance.now()
  const response = await app.request('/v1/verify', { method: 'POST', body })
  const text = await response.text()
  const ms = performance.now() - startedAt
  const reply = parseJson(text) as { readonly results: readonly [Pick<Judged, 'score' | 'verdict'>] } | undefined
  if (!response.ok || !reply) throw new Error(text)
  const [{ score, verdict }] = reply.results
  return { label, score, verdict, ms }
}

function report(name: string, isOther: (one: Judged) => boolean): void {
  const right = judged.filter(({ label }) => label === 'supported').map(({ score }) => score)
  const other = judged.filter(isOther).map(({ score }) => score)
  const drawn = Array.from({ length: 1000 }, () => areaUnderCurve(resampled(right), resampled(other))).toSorted()
  const [low = 0, high = 0] = [drawn[25], drawn[974]]
  const figures = [areaUnderCurve(right, other), low, high].map((value) => value.toFixed(3))
  console.log(`AUC, ${name}: ${figures[0]} (95 %: ${figures[1]} to ${figures[2]})`)
}

/** How often a score of the first is above one of the second. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let above = 0
  for (const one of first) for (const other of second) above += one > other ? 1 : one === other ? 0.5 : 0
  return above / first.length / second.length
}

function resampled(values: readonly number[]): readonly number[] {
  return values.map(() => values[Math.floor(Math.random() * values.length)] ?? 0)
}

/** An answer of ten sentences over ten pages of 20 to 60 kB, and a sentence over one page of 2 MB. */
await reportTime('ten pages', [20, 25, 30, 35, 40, 40, 45, 50, 55, 60])
await reportTime('a page of 2 MB', [2000])

async function reportTime(name: string, kilobytes: readonly number[]): Promise<void> {
  const longText = rows.map(({ evidence }) => evidence.join('\n')).join('\n')
  const claims = kilobytes.map((_, place) => ({ text: rows[place * 13]?.claim ?? '', sources: [place + 1] }))
  const times: Record<'indexing' | 'longestPiece' | 'check' | 'together', number[]> = {
    ...{ indexing: [], longestPiece: [], check: [], together: [] },
  }
  for (let run = 0; run < 40; run++) {
    // Strings that nothing knows yet.
    const pages = kilobytes.map((size, place) => ({
      text: `${run} ${longText.slice(place * 9000)}`.slice(0, size * 1000),
    }))
    let longest = 0
    const indexes = timed('indexing', () =>
      pages.map((page) => {
        const reading = wholly(page)
        for (;;) {
          const startedAt = performance.now()
          const { done, value } = reading.next()
          longest = Math.max(longest, performance.now() - startedAt)
          if (done) return value
        }
      }),
    )
    times.longestPiece.push(longest)
    timed('check', () => checkClaims(claims, (source) => indexes[source - 1]))
    timed('together', () => checkClaims(claims, (source) => pages[source - 1]))
  }
  for (const [part, all] of Object.entries(times))
    console.log(`${name}, ms, ${part}: ${JSON.stringify(summarise(all))}`)

  function* wholly(page: CitedPage): Pieces<PageIndex> {
    const index = yield* PageIndex.reading(page, maxPageLength)
    yield* index.readingFigures()
    return index
  }

  function timed<Result>(part: keyof typeof times, work: () => Result): Result {
    const startedAt = performance.now()
    const result = work()
    times[part].push(performance.now() - startedAt)
    return result
  }
}
