import { resolve } from 'node:path'
import type { CspProcess } from '../tests/support/csp-process.ts'
import { startGatewayCsp } from './gateway-csp.ts'
import { startUpstream } from './gateway-stand-in.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'

/**
 * Compares the gateway of this checkout with that of another one: `bench/gateway-against.ts FOLDER`. Both are asked in turn,
 * a few requests each, so that what else the machine does falls on both.
 */
const [, , folder] = process.argv
if (!folder) throw new Error('Name the folder of the other checkout.')
const upstream = startUpstream()
const standIn = startStandIn()

const start = (program?: string) => startGatewayCsp(upstream.url, standIn.url, program)

const contenders = { other: await start(resolve(folder, 'bin/csp.mjs')), this: await start() }

async function ask(csp: CspProcess, model: string, content: string, stream: boolean): Promise<void> {
  const body = { model, stream, max_tokens: 1000, messages: [{ role: 'user', content }] }
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${csp.url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(await reply.text())
  for await (const _ of reply.body ?? []);
}

const [rounds, each] = [40, 10]
const kinds: readonly (readonly [name: string, content: string, pieces: number])[] = [
  ['a short request', 'Hello.', 0],
  ['a request of 300 kB', 'words '.repeat(50_000), 0],
  ['a stream of 200 pieces', 'Hello.', 200],
]
for (const [name, content, pieces] of kinds) {
  upstream.pace = { pieces: pieces || 1, everyMs: 0 }
  for (const model of ['native/m', 'chat/m']) {
    const times: Record<string, number[]> = { other: [], this: [] }
    const spent: Record<string, number> = { other: 0, this: 0 }
    for (let round = -4; round < rounds; round++) {
      const both = Object.entries(contenders)
      for (const [which, csp] of round % 2 === 0 ? both : both.reverse()) {
        const before = processorTime(csp.serverPid()).server
        for (let turn = 0; turn < each; turn++) {
          const startedAt = performance.now()
          await ask(csp, model, content, pieces > 0)
          if (round >= 0) times[which]?.push(performance.now() - startedAt)
        }
        if (round >= 0) spent[which] = (spent[which] ?? 0) + processorTime(csp.serverPid()).server - before
      }
    }
    const row = Object.keys(contenders).map((which) => {
      const { median, p90 } = summarise(times[which] ?? [])
      const processor = (spent[which] ?? 0) / rounds / each
      return `${which}: median ${median.toFixed(2)}, p90 ${p90.toFixed(2)}, processor ${processor.toFixed(2)}`
    })
    console.log(`${name}, ${model}, ms: ${row.join('; ')}`)
  }
}
for (const csp of Object.values(contenders)) await csp.stop()
await standIn.stop()
await upstream.stop()
