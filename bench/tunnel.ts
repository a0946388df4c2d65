import { join } from 'node:path'
import { type Edge, secret, startEdge } from '../tests/tunnel/support/edge.ts'
import { type Summary, summarise } from './statistics.ts'

// What the tunnel adds, on one machine: real workerd, a home in a process of its own, searches that cost nothing.
//   node scripts/bun.mjs bench/tunnel.ts

interface State {
  readonly name: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly url: string
}

interface BenchHome {
  readonly url: string
  /** The next time that it is connected. */
  connected(): Promise<State>
  kill(): void
}

async function startHome(edge: Edge, name: string): Promise<BenchHome> {
  const script = join(import.meta.dir, 'tunnel-home.ts')
  const child = Bun.spawn([process.execPath, script, edge.url, secret, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  let next = Promise.withResolvers<State>()
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      for (const line of decoder.decode(chunk).trim().split('\n')) {
        const state: State = JSON.parse(line)
        if (state.name === 'connected') next.resolve(state)
      }
    }
  })()
  const { url } = await next.promise
  return {
    url,
    connected() {
      next = Promise.withResolvers()
      return next.promise
    },
    kill: () => child.kill('SIGKILL'),
  }
}

const list = (url: string) => fetch(`${url}/v1/search?q=harbour+seals`)

function stream(url: string, content = 'harbour seals'): Promise<Response> {
  const body = JSON.stringify({ model: 'sonar', stream: true, messages: [{ role: 'user', content }] })
  return fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: { 'x-test-relay': 'yes' }, body })
}

/** One at a time; the first ones are not counted. */
async function time(rounds: number, work: () => Promise<unknown>): Promise<Summary> {
  const times: number[] = []
  for (let round = -50; round < rounds; round++) {
    const startedAt = performance.now()
    await work()
    if (round >= 0) times.push(performance.now() - startedAt)
  }
  return summarise(times)
}

const whole = async (response: Promise<Response>) => (await response).arrayBuffer()

async function firstByte(response: Promise<Response>): Promise<void> {
  const reader = (await response).body?.getReader()
  await reader?.read()
  while (!(await reader?.read())?.done);
}

/** Only up to the first byte; the rest is read outside of the measurement. */
async function timeFirstByte(rounds: number, url: string): Promise<Summary> {
  const times: number[] = []
  for (let round = -50; round < rounds; round++) {
    const startedAt = performance.now()
    const reader = (await stream(url)).body?.getReader()
    await reader?.read()
    if (round >= 0) times.push(performance.now() - startedAt)
    while (!(await reader?.read())?.done);
  }
  return summarise(times)
}

async function megabytesPerSecond(url: string): Promise<number> {
  const startedAt = performance.now()
  let bytes = 0
  for await (const chunk of (await fetch(url)).body ?? []) bytes += chunk.byteLength
  return bytes / 1024 / 1024 / ((performance.now() - startedAt) / 1000)
}

async function fiftyAtOnce(url: string): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: 50 }, () => firstByte(stream(url))))
  return performance.now() - startedAt
}

/** From the kill to the error event. */
async function timeKill(edge: Edge): Promise<number> {
  const home = await startHome(edge, `killed-${crypto.randomUUID().slice(0, 8)}`)
  const reader = (await stream(edge.url, 'hang')).body?.getReader()
  await reader?.read()
  const killedAt = performance.now()
  home.kill()
  const decoder = new TextDecoder()
  for (;;) {
    const step = await reader?.read()
    if (!step || step.done) throw new Error('The caller was told nothing.')
    if (decoder.decode(step.value).includes('"error"')) return performance.now() - killedAt
  }
}

/** From the moment that the edge is there again. */
async function timeReconnect(edge: Edge, home: BenchHome): Promise<{ readonly edge: Edge; readonly ms: number }> {
  const again = home.connected()
  await edge.dispose()
  const next = await startEdge(Number(new URL(edge.url).port))
  const backAt = Date.now()
  return { edge: next, ms: Math.max(0, (await again).at - backAt) }
}

let edge = await startEdge()
const kills: number[] = []
for (let round = 0; round < 5; round++) kills.push(await timeKill(edge))
const home = await startHome(edge, 'bench')
const rounds = 300
const direct = { list: await time(rounds, () => whole(list(home.url))), first: await timeFirstByte(rounds, home.url) }
const through = { list: await time(rounds, () => whole(list(edge.url))), first: await timeFirstByte(rounds, edge.url) }
const speeds = [
  await megabytesPerSecond(`${edge.url}/raw/a?megabytes=200`),
  await megabytesPerSecond(`${edge.url}/raw/a?megabytes=200`),
]
const fifty = { direct: await fiftyAtOnce(home.url), through: await fiftyAtOnce(edge.url) }
const reconnects: number[] = []
for (let round = 0; round < 5; round++) {
  const result = await timeReconnect(edge, home)
  edge = result.edge
  reconnects.push(result.ms)
}
home.kill()
await edge.dispose()

const line = (label: string, a: Summary, b: Summary) =>
  `| ${label} | ${a.median.toFixed(1)} | ${b.median.toFixed(1)} | ${(b.median - a.median).toFixed(1)} |`

console.log(
  [
    `${process.platform} ${process.arch}, ${navigator.hardwareConcurrency} cores, Bun ${Bun.version}. Medians of ${rounds}, in ms.`,
    '',
    '| | home itself | through Worker and tunnel | added |',
    '|---|---:|---:|---:|',
    line('A list of results', direct.list, through.list),
    line('First byte of a relayed stream', direct.first, through.first),
    `| 50 streams at once, all of them | ${fifty.direct.toFixed(0)} | ${fifty.through.toFixed(0)} | |`,
    '',
    `A body of 200 MB: ${speeds.map((speed) => speed.toFixed(0)).join(', ')} MB/s.`,
    `Home killed to the error event: ${kills.map((ms) => ms.toFixed(0)).join(', ')} ms.`,
    `Edge back to home connected: ${reconnects.join(', ')} ms.`,
  ].join('\n'),
)
process.exit(0)
