import { readdirSync, readFileSync } from 'node:fs'
import type { SearchEvent, SearchRequest } from '../src/domain/search.ts'
import { startEdge, withKey } from '../tests/edge/support/edge.ts'
import { startHome } from '../tests/edge/support/home.ts'
import { answers, done } from '../tests/support/fake-executor.ts'
import { startRelay } from './edge-relay.ts'
import { summarise } from './statistics.ts'

// The processor time of workerd for each kind of request, all of its threads and what stands there for Cloudflare's own
// services included. Beside the stream of 100 pieces stands a relay that only passes as many frames: what no Worker can
// save. Linux only. `node scripts/bun.mjs bench/edge-processor.ts`

const children = (): readonly string[] =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const edge = await startEdge()
const edgePid = children()[0] ?? ''
const home = await startHome(edge.url, (request) =>
  request.query.startsWith('pieces') ? answerInPieces(request) : answers(request),
)
const relay = await startRelay()
const relayPid = children().find((pid) => pid !== edgePid) ?? ''

// Cloudflare compresses replies, not the Worker.
const headers = { ...withKey, 'accept-encoding': 'identity' }
const longText = 'x'.repeat(1_000_000)

try {
  await reportMany('a wrong key', () => fetch(`${edge.url}/v1/models`))
  await reportMany('a hit in KV', () => fetch(`${edge.url}/v1/search?q=what+is+known`, { headers }))
  await reportMany('a list from home', (round) =>
    fetch(`${edge.url}/v1/search?q=list+${round}`, { headers: { ...headers, 'cache-control': 'no-store' } }),
  )
  await reportMany('a short stream from home', (round) => ask(`short ${round}`, true))
  await reportMany('a short stream for a conversation of 1 MB', (round) => ask(`big ${round}`, true, true), 30)
  await reportPieces()
} finally {
  await home.stop()
  await relay.stop()
  await edge.stop()
}

async function reportMany(what: string, send: (round: number) => Promise<Response>, rounds = 300): Promise<void> {
  for (let round = -rounds / 3; round < 0; round++) await (await send(round)).arrayBuffer()
  const before = processorMs(edgePid)
  for (let round = 0; round < rounds; round++) await (await send(round)).arrayBuffer()
  console.log(`${what}: ${ms((processorMs(edgePid) - before) / rounds)}`)
}

/** In turn, so that a busy machine slows all of them. */
async function reportPieces(): Promise<void> {
  const times = { stream: [] as number[], whole: [] as number[], relay: [] as number[], kv: [] as number[] }
  let frames = 0
  for (let round = 0; round < 40; round++) {
    const isWarm = round >= 20
    const stream = await timed(edgePid, async () => {
      const text = await (await ask(`pieces ${round}`, true)).text()
      frames = text.split('\n\n').length - 1
    })
    const whole = await timed(edgePid, async () => (await ask(`pieces whole ${round}`, false)).text())
    const pass = (count: number) => async () =>
      (await fetch(`${relay.url}?frames=${count}&key=${count}.${round}`)).text()
    const passed = await timed(relayPid, pass(frames))
    const kv = await timed(relayPid, pass(0))
    if (!isWarm) continue
    times.stream.push(stream)
    times.whole.push(whole)
    times.relay.push(passed)
    times.kv.push(kv)
  }
  const shown = (all: readonly number[]) => {
    const mean = all.reduce((sum, time) => sum + time, 0) / all.length
    return `mean ${ms(mean)}, median ${ms(summarise(all).median)}`
  }
  console.log(`a stream of 100 pieces in 1.25 s, ${frames} frames to the client: ${shown(times.stream)}`)
  console.log(`the same answer whole: ${shown(times.whole)}`)
  console.log(`as many frames through a bare relay: ${shown(times.relay)}`)
  console.log(`of it, the front and KV, which Cloudflare does not count: ${shown(times.kv)}`)
}

async function timed(pid: string, work: () => Promise<unknown>): Promise<number> {
  const before = processorMs(pid)
  await work()
  // What is done after the reply, as the write to KV.
  await Bun.sleep(50)
  return processorMs(pid) - before
}

function ask(content: string, stream: boolean, isLong = false): Promise<Response> {
  const before = [
    { role: 'user', content: longText },
    { role: 'assistant', content: 'Yes.' },
  ]
  const messages = [...(isLong ? before : []), { role: 'user', content }]
  const body = JSON.stringify({ model: 'sonar', stream, messages })
  return fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers, body })
}

/** 100 pieces of text at 80 a second, as a model writes. */
async function* answerInPieces(request: SearchRequest): AsyncGenerator<SearchEvent> {
  yield { type: 'search-start', id: 'one', query: request.query }
  yield { type: 'search-results', id: 'one', results: [] }
  for (let piece = 0; piece < 100; piece++) {
    await Bun.sleep(12.5)
    yield { type: 'text-delta', text: ` word${piece}` }
  }
  yield done
}

function processorMs(pid: string): number {
  const tasks = `/proc/${pid}/task`
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
  )
  return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e6
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}
