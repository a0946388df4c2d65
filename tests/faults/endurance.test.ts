import { expect, setDefaultTimeout, test } from 'bun:test'
import { cspOnSandbox } from '../support/csp-on-sandbox.ts'
import { eventually } from '../support/processes.ts'
import { wayOf } from './ask.ts'
import { isFull } from './full.ts'
import { type Inventory, takeInventory } from './inventory.ts'

setDefaultTimeout(isFull ? 7_200_000 : 120_000)

const searches = isFull ? Number(process.env['FAULTS_SEARCHES'] ?? 10_000) : 120
const callers = 4
const { csp } = await cspOnSandbox(['--concurrency', String(callers)])

const lists = ['a list, Brave', 'a list, Perplexity', 'a list, our own'].map(wayOf)
const [fast, standard] = ['fast, Sonar', 'standard, OpenAI'].map(wayOf)

/** Of twenty searches two are fast answers, two are written ones, and the others are lists. */
async function ask(number: number): Promise<void> {
  const place = number % 20
  const way = place < 2 ? fast : place < 4 ? standard : lists[number % 3]
  const query = `subject ${number}`
  const response = await way?.send(csp.url, query)
  const text = await response?.text()
  expect([way?.name, response?.status, text]).toEqual([way?.name, 200, expect.stringContaining(query)])
}

async function askAll(from: number, to: number): Promise<void> {
  let next = from
  const caller = async () => {
    while (next < to) await ask(next++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

/** Once nothing is under way any more. */
async function rest(): Promise<Inventory> {
  await eventually(async () => {
    const { queue } = (await (await fetch(`${csp.url}/health`)).json()) as { queue: { running: number } }
    return queue.running === 0
  })
  return takeInventory(csp)
}

test.skipIf(process.platform !== 'linux')('many searches in a row leave nothing behind', async () => {
  await askAll(0, 60) // until every kind of process is up
  const before = await rest()
  const report = [['searches', ...Object.keys(before)].join(' '), ['0', ...Object.values(before)].join(' ')]
  const step = Math.max(100, searches / 10)
  for (let done = 0; done < searches; done += step) {
    await askAll(60 + done, 60 + Math.min(searches, done + step))
    const found = await rest()
    report.push([Math.min(searches, done + step), ...Object.values(found)].join(' '))
    if (isFull) console.log(report.at(-1))
  }
  if (isFull) console.log(report.join('\n'))
  const after = await rest()
  expect(after.processes).toBeLessThanOrEqual(before.processes + 1) // a worker that takes another's place
  expect(after.handles).toBeLessThanOrEqual(before.handles + 8)
  expect(after.temporaries).toBeLessThanOrEqual(before.temporaries + 2)
  // Its answers are kept in memory too, 32 MB at most; what else it takes does not grow with the searches.
  expect(after.memoryMb).toBeLessThan(before.memoryMb + 200)
})
