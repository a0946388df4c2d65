import { cpus } from 'node:os'
import { startCsp } from '../tests/support/csp-process.ts'
import { measureBareCli, measureBareSearch, measureBareText } from './bare-cli.ts'
import { measureCached } from './cached.ts'
import { measureMemory } from './memory.ts'
import { report } from './report.ts'
import { startStandIn } from './stand-in.ts'
import { measureParallel, measureStrategies } from './strategies.ts'

/** Measures csp on a stand-in that answers immediately, so that the measured time is that of csp and the CLI. */
const standIn = startStandIn()
const progress = (step: string) => process.stderr.write(`${step} …\n`)

progress('bare CLI')
const bare = await measureBareCli(standIn, 20)
const bareSearch = await measureBareSearch(standIn, 100)
const bareText = await measureBareText(standIn, 50)

progress('start')
const starts: number[] = []
for (let round = 0; round < 5; round++) {
  const started = await startCsp({ standInUrl: standIn.url })
  starts.push(started.listeningAfterMs)
  await started.stop()
}

progress('strategies')
const unlimited = ['--rate', '0', '--concurrency', '20']
const uncached = await startCsp({ standInUrl: standIn.url, flags: [...unlimited, '--cache-ttl', '0'] })
const strategies = await measureStrategies(uncached.url, standIn)
const parallel = await measureParallel(uncached.url, 20)
await uncached.stop()

progress('memory')
// As users have it: with its cache, and the pages and answers that it remembers.
const usual = await startCsp({ standInUrl: standIn.url, flags: unlimited, environment: { CSP_MEMORY: 'on' } })
const memory = await measureMemory(usual, 2000)
await usual.stop()

progress('cached replies')
const caching = await startCsp({ standInUrl: standIn.url, flags: unlimited })
const cached = await measureCached(caching.url)
await caching.stop()
await standIn.stop()

const text = report({ cores: cpus().length, starts, bare, bareSearch, bareText, strategies, parallel, cached, memory })
process.stdout.write(`${text}\n`)
