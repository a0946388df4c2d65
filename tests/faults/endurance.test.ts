import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { launcher } from '../support/tested-program.ts'
import { fewSearchServers, wayOf } from './ask.ts'
import { isFull } from './full.ts'
import { type Inventory, takeInventory } from './inventory.ts'

setDefaultTimeout(isFull ? 7_200_000 : 120_000)

const searches = isFull ? Number(process.env['FAULTS_SEARCHES'] ?? 10_000) : 60
/** Until every kind of process is up. */
const warmUps = isFull ? 60 : 20
const callers = isFull ? 4 : 2
const standIn = startSandbox()
afterAll(() => standIn.stop())

const lists = ['a list, Brave', 'a list, Perplexity', 'a list, our own'].map(wayOf)
const [fast, standard] = ['fast, Sonar', 'standard, OpenAI'].map(wayOf)

/** Of twenty searches two are fast answers, two are written ones, and the others are lists. */
async function ask(csp: CspProcess, number: number): Promise<void> {
  const place = number % 20
  const way = place < 2 ? fast : place < 4 ? standard : lists[number % 3]
  const query = `subject ${number}`
  const response = await way?.send(csp.url, query)
  const text = await response?.text()
  expect([way?.name, response?.status, text]).toEqual([way?.name, 200, expect.stringContaining(query)])
}

async function askAll(csp: CspProcess, from: number, to: number): Promise<void> {
  let next = from
  const caller = async () => {
    while (next < to) await ask(csp, next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/**
 * As many written answers at once as csp allows: each has a writer of its own then, and later ones need no more. Left to
 * chance, that would be some time during the searches that are counted.
 */
async function startWriters(csp: CspProcess): Promise<void> {
  standIn.sandbox.configure({ thinkMs: 500 })
  const replies = Array.from({ length: callers }, (_, index) => standard?.send(csp.url, `warm up ${index}`))
  for (const reply of await Promise.all(replies))
    expect([reply?.status, await reply?.text()]).toEqual([200, expect.stringContaining('warm up')])
  standIn.sandbox.configure({ thinkMs: 0 })
}

/** Once nothing is under way any more. */
async function rest(csp: CspProcess): Promise<Inventory> {
  await eventually(async () => {
    const { queue } = (await (await fetch(`${csp.url}/health`)).json()) as { queue: { running: number } }
    return queue.running === 0
  })
  return takeInventory(csp)
}

const caches = { 'with its cache': [], ...(isFull && { 'without a cache': ['--cache-ttl', '0'] }) }
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux.each(Object.entries(caches))('many searches in a row leave nothing behind, %s', async (_, more) => {
  const flags = ['--rate', '0', '--concurrency', String(callers), ...fewSearchServers, ...more]
  const csp = await startCsp({ standInUrl: standIn.url, program: launcher, flags })
  try {
    await startWriters(csp)
    await askAll(csp, 0, warmUps)
    const before = await rest(csp)
    report('searches', Object.keys(before))
    report(0, Object.values(before))
    const step = Math.max(100, searches / 10)
    for (let done = 0; done < searches; done += step) {
      const to = Math.min(searches, done + step)
      await askAll(csp, warmUps + done, warmUps + to)
      report(to, Object.values(await rest(csp)))
    }
    const after = await rest(csp)
    expect(after.processes).toBeLessThanOrEqual(before.processes + 1) // a worker that takes another's place
    expect(after.handles).toBeLessThanOrEqual(before.handles + 8)
    expect(after.temporaries).toBeLessThanOrEqual(before.temporaries + 2)
    // Its answers are kept in memory too, 32 MB at most; what else it takes does not grow with the searches.
    expect(after.memoryMb).toBeLessThan(before.memoryMb + 120)
  } finally {
    await csp.stop()
  }
})

/** A row of the table that the long part prints. */
function report(searches: string | number, values: readonly unknown[]): void {
  if (isFull) console.log([searches, ...values].join('\t'))
}
