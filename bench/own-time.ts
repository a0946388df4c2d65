import { join, resolve } from 'node:path'
import { startCsp } from '../tests/support/csp-process.ts'
import { processorTime } from './processor-time.ts'
import { startStandIn } from './stand-in.ts'
import { summarise } from './statistics.ts'
import { chat, read, results } from './strategies.ts'

/**
 * What csp itself takes for a list and for a `fast` answer, beside another checkout of it, in turns: a search here, a
 * search there. `node scripts/bun.mjs bench/own-time.ts FOLDER [SEARCHES]`; each has everything on but the budget.
 */
const [other = '.', rounds = '150'] = process.argv.slice(2)
const standIn = startStandIn()
const flags = ['--rate', '0', '--concurrency', '20', '--search-model', 'sonnet', '--excerpts', 'lines']
const environment = { CSP_MEMORY: 'on', CSP_DAILY_SEARCHES: '100000' }
const folders = { before: resolve(other), now: resolve('.') }
const sides = await Promise.all(
  Object.entries(folders).map(async ([name, folder]) => {
    const csp = await startCsp({ standInUrl: standIn.url, flags, environment, program: join(folder, 'bin/csp.mjs') })
    return { name, csp, times: new Map<string, number[]>(), processor: new Map<string, number>() }
  }),
)
const kinds = {
  'list, the first hundred': (url: string, at: number) => results(url, `list ${at}`),
  'list, warm': (url: string, at: number) => results(url, `list again ${at}`),
  'answer, fast': (url: string, at: number) => chat(url, 'sonar', `answer ${at}`),
}
for (const [kind, request] of Object.entries(kinds)) {
  for (const side of sides) side.processor.set(kind, -processorTime(side.csp.serverPid()).server)
  for (let at = 0; at < Number(rounds); at++) {
    for (const side of at % 2 === 0 ? sides : sides.toReversed()) {
      const startedAt = performance.now()
      await read(request(side.csp.url, at))
      side.times.set(kind, [...(side.times.get(kind) ?? []), performance.now() - startedAt])
      await Bun.sleep(20)
    }
  }
  for (const side of sides) {
    const spent = (side.processor.get(kind) ?? 0) + processorTime(side.csp.serverPid()).server
    const times = side.times.get(kind) ?? []
    const { median } = summarise(times)
    const least = Math.min(...times).toFixed(1)
    console.log(
      `${kind}, ${side.name}: median ${median.toFixed(1)} ms, least ${least}, server thread ${(spent / Number(rounds)).toFixed(2)} ms a search`,
    )
  }
}
for (const { csp } of sides) await csp.stop()
await standIn.stop()
