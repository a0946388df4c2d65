// Memory with 100,000 pages in it: how long a list from it takes, and what writing costs the lists that are served
// meanwhile: `node scripts/bun.mjs bench/recall.ts [PAGES]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import { SearchError } from '../src/domain/error.ts'
import type { SeenPage } from '../src/domain/memory.ts'
import { memoryBackend } from '../src/executor/backends/memory/memory.ts'
import type { Executor } from '../src/executor/executor.ts'
import { createStack } from '../src/executor/layers/stack.ts'
import { openMemory } from '../src/runtime/server/open-memory.ts'
import { MemoryFile } from '../src/storage/page-memory/memory-file.ts'
import { summarise } from './statistics.ts'

const count = Number(process.argv[2] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'csp-recall-'))
const path = join(folder, 'memory.sqlite')
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Invented words, as frequent as words are: the n-th of them a n-th as often as the first. */
const vocabulary = Array.from({ length: 50_000 }, (_, place) => wordOf(place))
const sums: number[] = []
for (const [place] of vocabulary.entries()) sums.push((sums.at(-1) ?? 0) + 1 / (place + 10))

function wordOf(place: number): string {
  let seed = place * 2_654_435_761 + 97
  const next = (size: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % size
  }
  const syllables = Array.from({ length: 2 + (place % 3) }, () => `${'bcdfghklmnprstvz'[next(16)]}${'aeiou'[next(5)]}`)
  return `${syllables.join('')}${'nrslt'[next(5)]}`
}

function anyWord(): string {
  const wanted = Math.random() * (sums.at(-1) ?? 0)
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return vocabulary[low] ?? ''
}

function pageOf(place: number): SeenPage {
  const sentence = () => `${Array.from({ length: 12 }, anyWord).join(' ')}.`
  const text = Array.from({ length: 25 }, sentence).join(' ')
  const url = `https://site${place % 3000}.example.org/${place}`
  return { url, title: Array.from({ length: 5 }, anyWord).join(' '), text, extent: 'whole', owner: '' }
}

const file = new MemoryFile({ path, maxBytes: 2e9 })
let startedAt = performance.now()
for (let place = 0; place < count; place += 50)
  file.keep(Array.from({ length: Math.min(50, count - place) }, (_, index) => pageOf(place + index)))
const { bytes } = file.size()
console.log(`${count} pages of 300 words: ${(bytes / 1e6).toFixed(0)} MB, ${since(startedAt)} s`)
file.close()

const memory = openMemory({ path, maxBytes: 2e9, mayKeep: () => true })
let isLimited = true
const backend: Executor = {
  name: 'limited',
  async *search({ query }) {
    if (isLimited) throw new SearchError('rate-limited', 'The limit is reached.', { retryAfterSeconds: 3600 })
    yield { type: 'search-start', id: '1', query }
    const row = (place: number) => ({ ...pageOf(place), snippet: 'All that is known.', source: 'limited' })
    yield { type: 'search-results', id: '1', results: Array.from({ length: 10 }, (_, place) => row(place)) }
    yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'none' }
  },
  health: async () => ({ ready: true, backends: [] }),
  close: async () => {},
}
const options = { memory, scope: 'all' } as const
const executor = createStack([backend], { memory: { ...options, backend: memoryBackend(options) } })
const app = createApp({ executor, version: '0' })
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })

async function list(query: string): Promise<{ readonly ms: number; readonly rows: number }> {
  const askedAt = performance.now()
  const reply = await fetch(`${server.url}v1/search?q=${encodeURIComponent(query)}`)
  const { results = [] } = (await reply.json()) as { results?: readonly unknown[] }
  return { ms: performance.now() - askedAt, rows: results.length }
}

const kinds = {
  'of rare words': () => [4000, 9000, 20_000].map((from) => from + Math.floor(Math.random() * 3000)),
  'of ordinary words': () => [200, 800, 3000].map((from) => from + Math.floor(Math.random() * 500)),
  'of words that are everywhere': () => [0, 10, 30].map((from) => from + Math.floor(Math.random() * 10)),
}
for (const [kind, places] of Object.entries(kinds)) {
  const query = () =>
    places()
      .map((place) => vocabulary[place])
      .join(' ')
  for (let round = 0; round < 5; round++) await list(query())
  const replies = []
  for (let round = 0; round < 40; round++) replies.push(await list(query()))
  const { median, p90, p99 } = summarise(replies.map(({ ms }) => ms))
  const rows = replies.filter((reply) => reply.rows > 0).length
  console.log(
    `limit reached, a list ${kind}: median ${median.toFixed(1)} ms, p90 ${p90.toFixed(1)}, p99 ${p99.toFixed(1)}; ${rows} of 40 have rows`,
  )
}

isLimited = false
const pages = Array.from({ length: 10_000 }, (_, place) => pageOf(count + place))
for (const isWriting of [false, true, false, true]) {
  startedAt = performance.now()
  const times: number[] = []
  for (let round = 0; round < 400; round++) {
    if (isWriting) memory.keep(pages.slice(round * 25, round * 25 + 25))
    times.push((await list(`query ${round}`)).ms)
    await Bun.sleep(5)
  }
  const { median, p90, p99 } = summarise(times)
  await memory.flush()
  console.log(
    `lists${isWriting ? ' while 10,000 pages are written' : ''}: median ${median.toFixed(2)} ms, p90 ${p90.toFixed(2)}, p99 ${p99.toFixed(2)}; ${since(startedAt)} s`,
  )
}
await server.stop(true)
await memory.close()

function since(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1)
}
