import { createApp } from '../src/app.ts'
import type { SearchEvent, SearchRequest } from '../src/domain/search.ts'
import { startEdge, withKey } from '../tests/edge/support/edge.ts'
import { startHome } from '../tests/edge/support/home.ts'
import { answers, done } from '../tests/support/fake-executor.ts'
import { summarise } from './statistics.ts'

// The cost of Worker and tunnel compared with a direct connection to the same home, measured alternately on this machine
// with a home that answers immediately. `node scripts/bun.mjs bench/edge.ts`

const edge = await startEdge()
const home = await startHome(edge.url, async function* (request): AsyncGenerator<SearchEvent> {
  yield* request.query.startsWith('long') ? longAnswer(request) : answers(request)
})
const app = createApp({ executor: home.executor, version: 'bench' })
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
const direct = `http://127.0.0.1:${server.port}`

// Cloudflare compresses replies, not the Worker.
const headers = { ...withKey, 'accept-encoding': 'identity' }

try {
  await report('a list of results', (base, name) => list(base, name))
  await report('first byte of a stream', (base, name) => firstByte(base, name))
  await reportKvHit()
  await reportManyStreams()
  await reportThroughput()
} finally {
  await home.stop()
  await server.stop(true)
  await edge.stop()
}

/** Measures both alternately, so that a busy machine slows both. */
async function report(what: string, ask: (base: string, name: string) => Promise<number>): Promise<void> {
  const times = { direct: [] as number[], edge: [] as number[] }
  for (let round = 0; round < 600; round++) {
    const name = `${what} ${round}`
    const first = await ask(direct, name)
    const second = await ask(edge.url, name)
    if (round >= 100) {
      times.direct.push(first)
      times.edge.push(second)
    }
  }
  const [near, far] = [summarise(times.direct), summarise(times.edge)]
  console.log(
    `${what}: direct ${ms(near.median)}, through the edge ${ms(far.median)}, added ${ms(far.median - near.median)} (p99 ${ms(near.p99)}, ${ms(far.p99)})`,
  )
}

async function list(base: string, query: string): Promise<number> {
  const startedAt = performance.now()
  const url = `${base}/v1/search?q=${encodeURIComponent(query)}`
  const response = await fetch(url, { headers: { ...headers, 'cache-control': 'no-store' } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The reply was ${response.status}.`)
  return performance.now() - startedAt
}

async function firstByte(base: string, query: string): Promise<number> {
  const startedAt = performance.now()
  const reader = (await stream(base, query)).getReader()
  await reader.read()
  const time = performance.now() - startedAt
  while (!(await reader.read()).done);
  return time
}

async function stream(base: string, content: string): Promise<ReadableStream<Uint8Array>> {
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content }] })
  const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST', headers, body })
  if (!response.ok || !response.body) throw new Error(`The reply was ${response.status}.`)
  return response.body
}

async function reportKvHit(): Promise<void> {
  const ask = () => fetch(`${edge.url}/v1/search?q=what+is+known`, { headers })
  await (await ask()).arrayBuffer()
  const messages = home.messages.length
  const times: number[] = []
  for (let round = 0; round < 600; round++) {
    const startedAt = performance.now()
    const response = await ask()
    await response.arrayBuffer()
    if (response.headers.get('x-cache') !== 'hit') throw new Error('The reply was not a hit.')
    if (round >= 100) times.push(performance.now() - startedAt)
  }
  console.log(`a hit in KV: ${ms(summarise(times).median)}, messages to home: ${home.messages.length - messages}`)
}

async function reportManyStreams(): Promise<void> {
  for (const base of [direct, edge.url, direct, edge.url]) {
    const startedAt = performance.now()
    const sizes = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { byteLength } = await new Response(await stream(base, `one of many ${index}`)).arrayBuffer()
        return byteLength
      }),
    )
    const time = performance.now() - startedAt
    console.log(
      `50 streams at once ${base === direct ? 'directly' : 'through the edge'}: ${ms(time)}, ${sizes.length} whole`,
    )
  }
}

async function reportThroughput(): Promise<void> {
  for (const base of [direct, edge.url, direct, edge.url]) {
    const startedAt = performance.now()
    let bytes = 0
    for await (const chunk of await stream(base, `long ${base}`)) bytes += chunk.byteLength
    const seconds = (performance.now() - startedAt) / 1000
    const rate = (bytes / 1e6 / seconds).toFixed(0)
    if (bytes < 9e6) throw new Error(`The long stream broke off after ${bytes} bytes.`)
    console.log(
      `one long stream ${base === direct ? 'directly' : 'through the edge'}: ${rate} MB/s of ${ms(bytes / 1e6, 'MB')}`,
    )
  }
}

/** Much longer than any model writes, and within what the edge keeps of one answer. */
async function* longAnswer(request: SearchRequest): AsyncGenerator<SearchEvent> {
  const text = 'x'.repeat(64 * 1024)
  yield { type: 'search-start', id: 'one', query: request.query }
  yield { type: 'search-results', id: 'one', results: [] }
  for (let piece = 0; piece < 140; piece++) yield { type: 'text-delta', text }
  yield done
}

function ms(value: number, unit = 'ms'): string {
  return `${value.toFixed(2)} ${unit}`
}
