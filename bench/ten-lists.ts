import { join, resolve } from 'node:path'
import { startCsp } from '../tests/support/csp-process.ts'
import { startPageSite } from '../tests/support/page-site.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'

/**
 * Ten lists at once beside one, with their pages, at the pace of real models: 700 ms to the first token, a search of
 * 900 ms, pages of 90 KB that take 300 ms, on eleven sites. Beside an earlier checkout, in turns:
 * `node scripts/bun.mjs bench/ten-lists.ts [FOLDER] [ROUNDS]`; Linux only.
 */
const [other, rounds = '4'] = process.argv.slice(2)
const folders = { ...(other && { before: resolve(other) }), now: resolve('.') }
const site = startPageSite({ everywhere: true, paragraphs: 500, before: () => Bun.sleep(300) })
const hosts = Array.from({ length: 11 }, (_, index) => `127.0.0.${index + 1}:${site.port}`)
const sides = await Promise.all(Object.entries(folders).map(([name, folder]) => openSide(name, folder)))
let asked = 0

for (const side of sides) await lists(side, 2)
for (let round = 0; round < Number(rounds); round++) {
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
    for (const count of [1, 10]) {
      // After this time csp lets ten searches start at once, and the pages of earlier ones are read.
      await Bun.sleep(3000)
      await measure(side, count)
    }
  }
}
console.log(
  '| | one list, s | ten lists, s | slowest | ten in ones | model calls of ten | rows with words, of ten | processor of one, ms (the server thread; with late pages) | of ten |',
)
console.log('|---|---:|---:|---:|---:|---:|---:|---:|---:|')
for (const { name, results } of sides) {
  const [one, ten] = [1, 10].map((count) => results.filter((result) => result.count === count))
  const median = (of: typeof results = [], key: keyof Outcome) => summarise(of.map((result) => result[key])).median
  const seconds = (ms: number) => (ms / 1000).toFixed(2)
  const slowest = Math.max(...(ten ?? []).map(({ ms }) => ms))
  const calls = (ten ?? []).map((result) => result.calls).join(', ')
  const ratio = median(ten, 'ms') / median(one, 'ms')
  const cells = [
    name,
    seconds(median(one, 'ms')),
    seconds(median(ten, 'ms')),
    seconds(slowest),
    ratio.toFixed(2),
    calls,
  ]
  const processor = [one, ten].map(
    (of) => `${median(of, 'processor')} (${median(of, 'server')}; ${median(of, 'later')})`,
  )
  console.log(`| ${[...cells, `${median(one, 'words')}; ${median(ten, 'words')}`, ...processor].join(' | ')} |`)
}
for (const { csp, standIn } of sides) await Promise.all([csp.stop(), standIn.stop()])
await site.stop()

interface Outcome {
  readonly count: number
  readonly ms: number
  readonly calls: number
  /** Rows with words, of each list. */
  readonly words: number
  /** Processor time until the reply: of the thread that serves, and of csp with what it started and still runs. */
  readonly server: number
  readonly processor: number
  /** The same three seconds later, when the late pages are read. */
  readonly later: number
}

async function openSide(name: string, folder: string) {
  const standIn = startStandIn({
    resultCount: 10,
    sites: hosts.map((host) => `http://${host}`),
    excerptLength: 130,
    pace: {
      firstTokenMs: 700,
      searchMs: 900,
      models: { haiku: { tokensPerSecond: 160 }, sonnet: { tokensPerSecond: 80 } },
    },
  })
  const flags = ['--excerpts', 'auto', '--cache-ttl', '0', '--pages-allow', hosts.join(',')]
  const csp = await startCsp({ standInUrl: standIn.url, flags, program: join(folder, 'bin/csp.mjs') })
  return { name, csp, standIn, results: [] as Outcome[] }
}

async function measure(side: Awaited<ReturnType<typeof openSide>>, count: number): Promise<void> {
  const { csp, standIn, results } = side
  const callsBefore = standIn.sandbox.stats().calls
  const before = spent(csp.serverPid())
  const startedAt = performance.now()
  const words = await lists(side, count)
  const ms = performance.now() - startedAt
  const after = spent(csp.serverPid())
  await Bun.sleep(3000)
  const later = spent(csp.serverPid()).all - before.all
  const calls = standIn.sandbox.stats().calls - callsBefore
  results.push({
    count,
    ms,
    calls,
    words,
    server: after.server - before.server,
    processor: after.all - before.all,
    later,
  })
}

function spent(pid: number) {
  const { server, csp, cli } = processorTime(pid)
  return { server, all: csp + cli }
}

/** How many rows of a list have words. */
async function lists({ csp }: Pick<Awaited<ReturnType<typeof openSide>>, 'csp'>, count: number): Promise<number> {
  const found = await Promise.all(
    Array.from({ length: count }, async () => {
      const query = encodeURIComponent(`how long harbour seals dive, number ${asked++}`)
      const response = await fetch(`${csp.url}/v1/search?q=${query}`)
      if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
      const { results } = (await response.json()) as { readonly results: readonly { readonly snippet: string }[] }
      return results.filter(({ snippet }) => snippet).length
    }),
  )
  return found.reduce((total, each) => total + each, 0) / count
}
