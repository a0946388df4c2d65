import { nativeUpstream } from '@csp/gateway/native/native'
import { startGatewayCsp } from './gateway-csp.ts'
import { longStream, startUpstream } from './gateway-stand-in.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'

/**
 * Measures what the gateway adds to an upstream that answers immediately. csp is a process of its own; the stand-in and the
 * client share one, and its clock. Each figure stands beside the same request without csp.
 */
const upstream = startUpstream()
const standIn = startStandIn()
const csp = await startGatewayCsp(upstream.url, standIn.url)

interface Ask {
  readonly model: string
  readonly stream?: boolean
  readonly content?: string
  readonly tools?: readonly object[]
}

function send(base: string, { content = 'Hello.', ...rest }: Ask): Promise<Response> {
  const body = { max_tokens: 1000, messages: [{ role: 'user', content }], ...rest }
  const headers = { 'content-type': 'application/json' }
  return fetch(`${base}/v1/messages`, { method: 'POST', body: JSON.stringify(body), headers })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The time of a request with its whole reply, in ms. */
async function requestTimes(base: string, ask: Ask, rounds: number) {
  const once = () => timed(async () => (await send(base, ask)).text())
  for (let round = 0; round < rounds / 4; round++) await once()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await once())
  return summarise(times)
}

/** From when a piece is sent until the client has it, in ms. */
async function pieceTimes(base: string, ask: Ask) {
  upstream.pace = { pieces: 1000, everyMs: 2 }
  const response = await send(base, { ...ask, stream: true })
  const decoder = new TextDecoder()
  const times: number[] = []
  for await (const bytes of response.body ?? []) {
    const now = performance.now()
    for (const [, at] of decoder.decode(bytes).matchAll(/ at=([\d.]+);/g)) times.push(now - Number(at))
  }
  upstream.pace = { pieces: 1, everyMs: 0 }
  return summarise(times.slice(100))
}

async function megabytesPerSecond(base: string, ask: Ask, megabytes: number): Promise<number> {
  upstream.pace = { megabytes }
  let bytes = 0
  const ms = await timed(async () => {
    const response = await send(base, { ...ask, stream: true })
    for await (const part of response.body ?? []) bytes += part.byteLength
  })
  upstream.pace = { pieces: 1, everyMs: 0 }
  return bytes / 1000 / ms
}

/** Processor time of csp for each of so many units of work, in ms: of the thread that serves, and of all its threads. */
async function processorTimes(work: () => Promise<unknown>, units: number): Promise<string> {
  const pid = csp.serverPid()
  const before = processorTime(pid)
  await work()
  const after = processorTime(pid)
  const each = (name: 'server' | 'csp') => ((after[name] - before[name]) / units).toFixed(2)
  return `processor ${each('server')} of the serving thread, ${each('csp')} of all`
}

const line = (text: string) => process.stdout.write(`${text}\n`)
const difference = (through: number, direct: number) =>
  `${direct.toFixed(2)} direct, ${through.toFixed(2)} through csp: ${(through - direct).toFixed(2)} more`

const direct = { model: 'native/m' }
for (const [name, content] of [
  ['a short request', 'Hello.'],
  ['a request of 300 kB', 'words '.repeat(50_000)],
] as const) {
  for (const model of ['native/m', 'chat/m']) {
    const through = await requestTimes(csp.url, { model, content }, 400)
    const processor = await processorTimes(() => requestTimes(csp.url, { model, content }, 400), 500)
    const alone = await requestTimes(upstream.url, { ...direct, content }, 400)
    line(
      `${name}, ${model}, ms: ${difference(through.median, alone.median)} (p90 ${through.p90.toFixed(2)}), ${processor}`,
    )
  }
}
const alone = await pieceTimes(upstream.url, direct)
for (const model of ['native/m', 'chat/m']) {
  const { median, p90 } = await pieceTimes(csp.url, { model })
  const processor = await processorTimes(() => pieceTimes(csp.url, { model }), 1000)
  line(`a piece of a stream, ${model}, ms: ${difference(median, alone.median)} (p90 ${p90.toFixed(2)}), ${processor}`)
}
for (let round = 0; round < 3; round++) {
  const [without, through] = [
    await megabytesPerSecond(upstream.url, direct, 200),
    await megabytesPerSecond(csp.url, direct, 200),
  ]
  line(`a long stream, MB/s: ${without.toFixed(0)} direct, ${through.toFixed(0)} passed through`)
}

// Without a network: what the code itself takes.
const native = nativeUpstream({ name: 'native', baseUrl: upstream.url, fetch: async () => longStream(1000) })
for (let round = 0; round < 3; round++) {
  const context = { signal: new AbortController().signal }
  const request = { model: 'm', max_tokens: 1, stream: true, messages: [{ role: 'user' as const, content: 'Hello.' }] }
  const ms = await timed(async () => {
    const { body } = await native.forward(request, context)
    for await (const _ of body ?? []);
  })
  line(`a long stream without a network, MB/s: ${(1_000_000 / ms).toFixed(0)} passed through`)
}

const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
const searches = {
  "Claude Code's WebSearch, without a model": 'Perform a web search for the query: harbour seals',
  'the same search by a model with the tool': 'Search the web for harbour seals.',
}
for (const [name, content] of Object.entries(searches)) {
  const before = upstream.requests
  const { median, p90, count } = await requestTimes(csp.url, { model: 'native/m', stream: true, content, tools }, 40)
  const calls = (upstream.requests - before) / (count * 1.25)
  line(`${name}, ms: ${median.toFixed(1)} (p90 ${p90.toFixed(1)}), ${calls} calls of the model`)
}
await csp.stop()
await standIn.stop()
await upstream.stop()
