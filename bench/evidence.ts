import { checkClaims, maxPageLength } from '@csp/evidence/check'
import type { CitedPage } from '@csp/evidence/evidence'
import { PageIndex } from '@csp/evidence/page-index'
import type { Pieces } from '@csp/lib/pieces'
import { readSets, type SetRow } from './evidence/sets.ts'
import { summarise } from './statistics.ts'

const help = `npm run bench:evidence -- FOLDER

Compares what others have written over pages, and have judged, with these pages. FOLDER has files of these sets, which are not
part of csp, each under its own licence:
  SummEdits         github.com/salesforce/factualNLG, data/summedits/*.json: see there
  AttributionBench  github.com/OSU-NLP-Group/AttributionBench, data/*.jsonl, with HAGRID: Apache 2.0
  Factcheck-GPT     github.com/yuxiaw/Factcheck-GPT, subtasks/subtask3_*.jsonl: Apache 2.0
  WiCE              github.com/ryokamoi/wice, data/entailment_retrieval/claim/*.jsonl: ODC-BY, texts CC BY-SA
`

const [folder] = process.argv.slice(2)
if (folder === undefined || folder.startsWith('-')) {
  console.log(help)
  process.exit(folder === undefined ? 2 : 0)
}

const setNames = ['SummEdits', 'HAGRID', 'AttributionBench', 'Factcheck-GPT', 'WiCE'] as const
const rows = readSets(folder).filter(({ of }) => of !== undefined)
if (rows.length === 0) throw new Error(`${folder} has none of the sets. Without a folder, this says what they are.`)

interface Compared {
  readonly isTrue: boolean
  readonly isFound: boolean
  readonly hasUnseen: boolean
  readonly score: number
  readonly ms: number
}

/** A text of several sentences is found if all are, and as good as its worst. */
function compare({ sentences, pages, isTrue }: SetRow): Compared {
  const sources = pages.map((_, place) => place + 1)
  const startedAt = performance.now()
  const evidence = checkClaims(
    sentences.map((text) => ({ text, sources })),
    (source) => ({ text: pages[source - 1] ?? '' }),
    { budgetMs: Number.POSITIVE_INFINITY },
  )
  return {
    isTrue,
    isFound: evidence.every(({ verdict }) => verdict === 'found'),
    hasUnseen: evidence.some(({ unseen }) => unseen !== undefined),
    score: Math.min(...evidence.map(({ score }) => score)),
    ms: performance.now() - startedAt,
  }
}

const of = (all: readonly Compared[], isTrue: boolean) => all.filter((one) => one.isTrue === isTrue)
const isFound = (one: Compared) => one.isFound
const hasUnseen = (one: Compared) => one.hasUnseen
const scoreOf = ({ score }: Compared) => score
const share = (all: readonly Compared[], has: (one: Compared) => boolean) => all.filter(has).length / all.length
const percent = (part: number) => (100 * part).toFixed(1)

console.log(
  '| set | true, false | found, % of true | of false | balanced accuracy | AUC | unseen, % of found true | of false |',
)
console.log('|---|---:|---:|---:|---:|---:|---:|---:|')
const times: number[] = []
for (const name of setNames) {
  const compared = rows.filter(({ of }) => of === name).map(compare)
  if (compared.length === 0) continue
  times.push(...compared.map(({ ms }) => ms))
  const [right, wrong] = [of(compared, true), of(compared, false)]
  const accuracy = (share(right, isFound) + 1 - share(wrong, isFound)) / 2
  const area = areaUnderCurve(right.map(scoreOf), wrong.map(scoreOf))
  const found = [right, wrong].map((all) => percent(share(all, isFound)))
  const unseen = [right, wrong].map((all) => percent(share(all.filter(isFound), hasUnseen)))
  const cells = [name, `${right.length}, ${wrong.length}`, ...found, accuracy.toFixed(3), area.toFixed(3), ...unseen]
  console.log(`| ${cells.join(' | ')} |`)
}
console.log(`ms for a text with its pages: ${JSON.stringify(summarise(times))}`)

/** How often a score of the first is above one of the second. */
function areaUnderCurve(first: readonly number[], second: readonly number[]): number {
  let above = 0
  for (const one of first) for (const other of second) above += one > other ? 1 : one === other ? 0.5 : 0
  return above / first.length / second.length
}

/** An answer of ten sentences over ten pages of 20 to 60 kB, and a sentence over one page of 2 MB. */
await reportTime('ten pages', [20, 25, 30, 35, 40, 40, 45, 50, 55, 60])
await reportTime('a page of 2 MB', [2000])

async function reportTime(name: string, kilobytes: readonly number[]): Promise<void> {
  const longText = rows
    .slice(0, 2000)
    .flatMap(({ pages }) => pages)
    .join('\n')
  const claims = kilobytes.map((_, place) => ({ text: rows[place * 13]?.sentences[0] ?? '', sources: [place + 1] }))
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
