import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { launcher } from '../support/tested-program.ts'
import { fewSearchServers, ways } from './ask.ts'
import { isFull } from './full.ts'
import { type Inventory, takeInventory } from './inventory.ts'

// Callers of all kinds at once, of whom a third leaves in the middle.

setDefaultTimeout(isFull ? 600_000 : 120_000)

const callers = isFull ? 100 : 28
const standIn = startSandbox()
let csp: CspProcess
// Not at once: where no test of this file is chosen, nothing would end it.
beforeAll(async () => {
  const flags = ['--rate', '0', '--concurrency', '4', ...fewSearchServers]
  csp = await startCsp({ standInUrl: standIn.url, program: launcher, flags })
})
afterAll(async () => {
  await csp.stop()
  await standIn.stop()
})

interface Health {
  readonly queue: { readonly running: number; readonly waiting: number }
}

const health = async () => (await (await fetch(`${csp.url}/health`)).json()) as Health

/** No word of one is within another's. */
const subjectOf = (number: number) => `subject${String.fromCharCode(97 + (number % 26))}${Math.floor(number / 26)}x`

test('everyone who stays gets their own answer, and callers who leave leave nothing behind', async () => {
  standIn.sandbox.configure({ thinkMs: { search: 20, write: 40 } })
  for (const way of ways) await (await way.send(csp.url, 'warm up')).text()
  const before = process.platform === 'linux' ? takeInventory(csp) : undefined
  const subjects = Array.from({ length: callers }, (_, number) => subjectOf(number))
  let left = 0
  const outcomes = await Promise.all(
    subjects.map(async (subject, number) => {
      const way = ways[number % ways.length]
      const leave = new AbortController()
      // One leaves as soon as a search before theirs has been answered: some while they wait, some at work.
      const isLeaving = number % 3 === 1
      if (isLeaving) void standIn.sandbox.until(({ calls }) => calls >= number / 2).then(() => leave.abort())
      try {
        const reply = await way?.send(csp.url, subject, leave.signal)
        return { way: way?.name, subject, isLeaving, status: reply?.status, text: (await reply?.text()) ?? '' }
      } catch {
        left++
        return { way: way?.name, subject, isLeaving, status: 'left' as const, text: '' }
      }
    }),
  )
  expect(left).toBeGreaterThan(0)
  for (const { way, subject, isLeaving, status, text } of outcomes) {
    if (isLeaving && status === 'left') continue
    const mentioned = subjects.filter((name) => text.includes(name))
    expect({ way, status, mentioned }).toEqual({ way, status: 200, mentioned: [subject] })
  }
  await standIn.sandbox.until(({ open }) => open === 0)
  await eventually(async () => {
    const { running, waiting } = (await health()).queue
    return running === 0 && waiting === 0
  })
  if (!before) return
  const after = takeInventory(csp)
  // Three of each process; the rest are connections of callers.
  const connections = ({ sockets, processes }: Inventory) => sockets - 3 * processes
  expect(connections(after)).toBeLessThanOrEqual(connections(before) + 4)
  // Four at once have up to four workers of each kind, and one that takes another's place.
  expect(after.processes).toBeLessThanOrEqual(before.processes + 9)
  // A CLI tries out in a folder of its own whether it can watch files, and removes that a moment later.
  expect(after.temporaries).toBeLessThanOrEqual(before.temporaries + 2 * 9)
})
