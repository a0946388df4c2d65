import { join } from 'node:path'
import { type Edge, secret, startEdge } from '../tests/tunnel/support/edge.ts'

// How soon the tunnel notices and mends what breaks, on one machine: real workerd, homes in processes of their own,
// searches that cost nothing. What the way itself adds is measured by bench/edge.ts.
//   node scripts/bun.mjs bench/tunnel.ts

const rounds = 10

interface BenchHome {
  /** The next time that it is connected, in milliseconds since 1970. */
  connected(): Promise<number>
  send(signal: NodeJS.Signals): void
}

async function startHome(edge: Edge, name: string): Promise<BenchHome> {
  const script = join(import.meta.dir, 'tunnel-home.ts')
  const child = Bun.spawn([process.execPath, script, edge.url, secret, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let next = Promise.withResolvers<number>()
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      for (const line of decoder.decode(chunk).trim().split('\n')) {
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

/** From the kill of a home to the error event at the client, in the middle of a stream. */
async function timeKill(edge: Edge, round: number): Promise<number> {
  const home = await startHome(edge, `killed-${round}`)
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content: 'hang' }] })
  const headers = { 'x-test-relay': 'yes' }
  const reader = (await fetch(`${edge.url}/v1/chat/completions`, { method: 'POST', headers, body })).body?.getReader()
  await reader?.read()
  const killedAt = performance.now()
  home.send('SIGKILL')
  const decoder = new TextDecoder()
  for (;;) {
    const step = await reader?.read()
    if (!step || step.done) throw new Error('The client was told nothing.')
    if (decoder.decode(step.value).includes('"error"')) return performance.now() - killedAt
  }
}

/** From a request to its answer, when the home that is asked first is frozen: in the tests its time is 1 s. */
async function timeFreeze(edge: Edge, round: number): Promise<number> {
  const frozen = await startHome(edge, `frozen-${round}`)
  const lively = await startHome(edge, `lively-${round}`)
  frozen.send('SIGSTOP')
  const askedAt = performance.now()
  const response = await fetch(`${edge.url}/v1/search?q=harbour+seals`)
  await response.text()
  const ms = performance.now() - askedAt
  if (response.status !== 200) throw new Error(`It was answered with ${response.status}.`)
  for (const home of [frozen, lively]) home.send('SIGKILL')
  return ms
}

/** From the moment that the edge is there again to its home's being connected. */
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
console.log(`Home killed in the middle of a stream, to the error event: ${list(kills)} ms`)
console.log(`Home frozen, to the answer of another: ${list(freezes)} ms`)
console.log(`Edge there again, to home connected: ${list(returns)} ms`)
process.exit(0)
