import { resolve } from 'node:path'
import type { checkClaims } from '@csp/evidence/check'
import { namePairs } from '@csp/testing/name-pairs'
import { pairPages } from '@csp/testing/pair-pages'
import { readSets, type SetRow } from './evidence/sets.ts'
import { hashOf, swapsOf } from './evidence/swaps.ts'
import { summarise } from './statistics.ts'

/**
 * How many sentences are `found`, true, false, and true ones in which one name is that of another page: `bench/evidence-names.ts
 * FOLDER [CHECKOUT] [--show]`. Half of the pages (A) is for making rules, the other one (B) shows whether they hold. With another
 * checkout both are asked in turn. `--show` prints what half A has of swaps that are found and of true ones that lack a name.
 */
const [folder = '', other] = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isShown = process.argv.includes('--show')
if (!folder) throw new Error('Name the folder of the sets.')

type Check = typeof checkClaims
const load = async (checkout: string) =>
  ((await import(resolve(checkout, 'packages/evidence/src/check.ts'))) as { readonly checkClaims: Check }).checkClaims
const checks: readonly (readonly [name: string, check: Check])[] = [
  ...(other === undefined ? [] : [['other', await load(other)] as const]),
  ['this', await load('.')],
]
const times: Record<string, number[]> = { other: [], this: [] }

const own: readonly SetRow[] = [
  ...Object.values(pairPages).flatMap((pages) =>
    pages.flatMap(({ page, right, wrong }) =>
      [right, wrong].flatMap((some) =>
        some.map(([, text]) => ({ set: 'own pairs', sentences: [text], pages: [page], isTrue: some === right })),
      ),
    ),
  ),
  ...namePairs.flatMap(({ language, page, right, wrong }) => [
    { set: `own names ${language}`, sentences: [right], pages: [page], isTrue: true },
    { set: `own names ${language}`, sentences: [wrong], pages: [page], isTrue: false },
  ]),
]
const rows = [...readSets(folder), ...own]
const counted = [
  'true',
  'false',
  'swapped within',
  'swapped first',
  'true with a name missing',
  'true doubted',
] as const
const counts = new Map<string, number[]>()
/** `verdict`: 1 or 0. */
function count(key: string, name: string, isSo: boolean): void {
  const one = counts.get(`${key}\t${name}`) ?? [0, 0]
  one[0] = (one[0] ?? 0) + (isSo ? 1 : 0)
  one[1] = (one[1] ?? 0) + 1
  counts.set(`${key}\t${name}`, one)
}

const bySet = Map.groupBy(rows, ({ set }) => set)
for (const [set, all] of bySet) {
  const swaps = set.startsWith('own names') ? [] : swapsOf(all)
  const asked = [
    // A sentence that is on the page tells nothing about true ones.
    ...all
      .filter(({ name }) => name === undefined)
      .map((row) => ({ ...row, kind: row.isTrue ? 'true' : 'false', was: '' })),
    ...swaps.map((row) => ({ ...row, kind: `swapped ${row.place}` })),
  ]
  for (const { sentences, pages, kind, was } of asked) {
    const half = hashOf(pages.join('\n')) % 2 === 0 ? 'A' : 'B'
    for (const [name, check] of checks) {
      const startedAt = performance.now()
      const evidence = check(
        sentences.map((text) => ({ text, sources: pages.map((_, at) => at + 1) })),
        (source) => ({ text: pages[source - 1] ?? '' }),
        { budgetMs: Number.POSITIVE_INFINITY },
      )
      times[name]?.push(performance.now() - startedAt)
      const isFound = evidence.every(({ verdict }) => verdict === 'found')
      const missing = evidence.flatMap(({ missing: some = [] }) => some.filter(({ kind: one }) => one === 'name'))
      const doubts = evidence.flatMap(({ doubt }) => doubt ?? [])
      for (const key of [`${set}\t${half}\t${name}`, `all\t${half}\t${name}`]) {
        count(key, kind, isFound)
        if (kind === 'true') count(key, 'true with a name missing', missing.length > 0)
        if (kind === 'true') count(key, 'true doubted', doubts.length > 0)
      }
      if (!isShown || half === 'B' || name === 'other') continue
      if (kind.startsWith('swapped') && isFound) console.log(`FOUND ${set} [was ${was}] ${sentences.join(' ')}`)
      if (kind === 'true' && (missing.length > 0 || doubts.length > 0))
        console.log(`LACKS ${set} ${JSON.stringify([...missing, ...doubts])} ${sentences.join(' ')}`)
    }
  }
}

console.log(['set', 'half', 'checkout', ...counted].join(' | '))
for (const key of new Set([...counts.keys()].map((one) => one.split('\t').slice(0, 3).join('\t')))) {
  const cells = counted.map((name) => counts.get(`${key}\t${name}`)?.join('/') ?? '')
  console.log([...key.split('\t'), ...cells].join(' | '))
}
for (const [name, all] of Object.entries(times))
  if (all.length > 0) console.log(name, 'ms', JSON.stringify(summarise(all)))
