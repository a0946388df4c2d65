import { join } from 'node:path'
import { LineCutter } from '@csp/lib/lines'
import { type Edge, secret, startEdge } from '../tests/tunnel/support/edge.ts'

// How fast the tunnel detects and recovers from failures, on one machine: real workerd, homes in separate processes,
// searches that cost nothing. bench/edge.ts measures the added latency.
//   node scripts/bun.mjs bench/tunnel.ts

const rounds = 10

interface BenchHome {
  /** Resolves at its next connection, to the time in milliseconds since 1970. */
  connected(): Promise<number>
  send(signal: NodeJS.Signals): void
}

async function startHome(edge: Edge, name: string): Promise<BenchHome> {
  const script = join(import.meta.dir, 'tunnel-home.ts')
  const child = Bun.spawn([process.execPath, script, edge.url, secret, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let next = Promise.withResolvers<number>()
  void (async () => {
    const cutter = new LineCutter(Number.POSITIVE_INFINITY)
    for await (const chunk of child.stdout) {
      for (const line of cutter.take(chunk)) {
        const state: { readonly name: string; readonly at: number } = JSON.parse(line)
        if (state.name === 'connected') next.resolve(state.at)
      }
    }
  })()
  await next.promise
  return {
    connected() {
      next = Promise.withResolvers()
      return next.promise
    },
    send: (signal) => child.kill(signal),
  }
}

/** The time from killing a home in the middle of a stream to the error event at the client. */
async function timeKill(edge: Edge, round: number): Promise<number> {
  const home = await startHome(edge, `killed-${round}`)
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'hang' }] })
  const reader = (await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', body })).body?.getReader()
  await reader?.read()
  const killedAt = performance.now()
  home.send('SIGKILL')
  const decoder = new TextDecoder()
  for (;;) {
    const step = await reader?.read()
    if (!step || step.done) throw new Error('The stream ended without an error event.')
    if (decoder.decode(step.value).includes('"error"')) return performance.now() - killedAt
  }
}

/** The time of a request if the home that is asked first is frozen. In the tests a home has 1 s to accept. */
async function timeFreeze(edge: Edge, round: number): Promise<number> {
  const frozen = await startHome(edge, `frozen-${round}`)
  const lively = await startHome(edge, `lively-${round}`)
  frozen.send('SIGSTOP')
  const askedAt = performance.now()
  const response = await fetch(`${edge.url}/v1/search?q=harbour+seals`)
  await response.text()
  const ms = performance.now() - askedAt
  if (response.status !== 200) throw new Error(`The reply was ${response.status}.`)
  for (const home of [frozen, lively]) home.send('SIGKILL')
  return ms
}

/** The time from the restart of the edge to the connection of its home. */
async function timeReturn(edge: Edge, home: BenchHome): Promise<{ readonly edge: Edge; readonly ms: number }> {
  const again = home.connected()
  await edge.dispose()
  const next = await startEdge(Number(new URL(edge.url).port))
  const backAt = Date.now()
  return { edge: next, ms: Math.max(0, (await again) - backAt) }
}

let edge = await startEdge()
const kills: number[] = []
for (let round = 0; round < rounds; round++) kills.push(await timeKill(edge, round))
const freezes: number[] = []
for (let round = 0; round < 3; round++) freezes.push(await timeFreeze(edge, round))
const home = await startHome(edge, 'bench')
const returns: number[] = []
for (let round = 0; round < rounds; round++) {
  const result = await timeReturn(edge, home)
  edge = result.edge
  returns.push(result.ms)
}
home.send('SIGKILL')
await edge.dispose()

const list = (times: readonly number[]) =>
  times
    .toSorted((a, b) => a - b)
    .map((ms) => ms.toFixed(0))
    .join(', ')
console.log(`Home killed in the middle of a stream, until the error event: ${list(kills)} ms`)
console.log(`Home frozen, until the answer of another home: ${list(freezes)} ms`)
console.log(`Edge restarted, until the home is connected: ${list(returns)} ms`)
process.exit(0)
