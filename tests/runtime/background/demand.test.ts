import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { Demand, type FindableRecord, holderHeader } from '../../../src/runtime/background/demand.ts'
import { addHolder, holdersOf, removeHolder } from '../../../src/runtime/background/holders.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-need-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

const started: { kill(): void }[] = []
afterAll(() => {
  for (const each of started) each.kill()
})

/** A program that needs csp. */
function program() {
  const child = Bun.spawn(['sleep', '60'])
  started.push(child)
  return child
}

const port = 4711

describe('the holders of a csp', () => {
  test('are the processes that it was started for, without those that have ended or taken it back', async () => {
    const [killed, leaving] = [program(), program()]
    for (const { pid } of [killed, leaving]) expect(await addHolder(stateDir, port, pid)).toBe(true)
    await addHolder(stateDir, port, process.pid)
    expect((await holdersOf(stateDir, port)).toSorted()).toEqual([killed.pid, leaving.pid, process.pid].toSorted())
    expect(await holdersOf(stateDir, port + 1)).toEqual([])
    killed.kill('SIGKILL')
    await killed.exited
    await removeHolder(stateDir, port, leaving.pid)
    expect(await holdersOf(stateDir, port)).toEqual([process.pid])
  })

  test.skipIf(process.platform === 'win32')('are not processes that got the id of one later', async () => {
    await addHolder(stateDir, port, process.pid)
    const file = join(stateDir, 'run', `${port}.holders`, `${process.pid}.json`)
    writeFileSync(file, JSON.stringify({ pid: process.pid, identity: 'another boot' }))
    expect(await holdersOf(stateDir, port)).toEqual([])
  })

  test('leave alone what else is in their folder', async () => {
    await addHolder(stateDir, port, process.pid)
    const folder = join(stateDir, 'run', `${port}.holders`)
    writeFileSync(join(folder, '12.json.tmp'), 'being written')
    mkdirSync(join(folder, '13.json'))
    expect(await holdersOf(stateDir, port)).toEqual([process.pid])
    expect(readdirSync(folder).toSorted()).toEqual(['12.json.tmp', '13.json', `${process.pid}.json`].toSorted())
  })

  test('are processes that run', async () => {
    const ended = program()
    ended.kill()
    await ended.exited
    expect(await addHolder(stateDir, port, ended.pid)).toBe(false)
    expect(await holdersOf(stateDir, port)).toEqual([])
  })
})

describe('the need for a csp', () => {
  /** A need with a clock of its own, and what was done with the record. */
  function need() {
    const clock = createClock()
    const said: string[] = []
    const stop = new AbortController()
    const own = new Demand({ stateDir, port, now: clock.now, pollMs: 1 })
    const record: FindableRecord = {
      announce: async () => void said.push('announced'),
      withdraw: async () => void said.push('withdrawn'),
    }
    const ended = { value: undefined as boolean | undefined }
    const start = async () => {
      ended.value = await own.untilNone(stop.signal, record)
    }
    const ending = start()
    return { own, clock, said, record, stop, ended, ending }
  }

  const request = (path: string, holder?: number) =>
    new Request(`http://127.0.0.1:4711${path}`, { headers: holder ? { [holderHeader]: String(holder) } : {} })

  /** Stands unless it is moved, and counts who reads it: each look at the holders begins so. */
  function createClock() {
    const clock = {
      ms: 0,
      reads: 0,
      now() {
        clock.reads++
        return clock.ms
      },
      /** Resolves when a look that began after this call has ended: another has begun. */
      async isLookedAt() {
        const before = clock.reads
        await eventually(() => clock.reads >= before + 2)
      },
    }
    return clock
  }

  test('ends a moment after the last holder has gone', async () => {
    const holder = program()
    await addHolder(stateDir, port, holder.pid)
    const { clock, ended, ending, said } = need()
    clock.ms = 1_000_000
    await clock.isLookedAt()
    expect(ended.value).toBeUndefined()
    holder.kill('SIGKILL')
    await holder.exited
    clock.ms += 4999
    await clock.isLookedAt()
    expect(ended.value).toBeUndefined()
    clock.ms += 1
    await ending
    expect({ ended: ended.value, said }).toEqual({ ended: true, said: ['withdrawn'] })
  })

  test('outlives its holders by five minutes after the last request of another program', async () => {
    await addHolder(stateDir, port, process.pid)
    const { own, clock, ended, ending } = need()
    await clock.isLookedAt()
    clock.ms = 10_000
    own.note(request('/v1/search?q=seals'))
    clock.ms = 20_000
    own.note(request('/v1/search?q=seals', process.pid))
    own.note(request('/health'))
    own.note(request('/metrics'))
    await removeHolder(stateDir, port, process.pid)
    clock.ms = 309_999
    await clock.isLookedAt()
    expect(ended.value).toBeUndefined()
    clock.ms = 310_000
    await ending
    expect(ended.value).toBe(true)
  })

  test('is not prolonged by a holder that asks before csp has looked at its holders', async () => {
    await addHolder(stateDir, port, process.pid)
    const clock = createClock()
    const own = new Demand({ stateDir, port, now: clock.now, pollMs: 1 })
    own.note(request('/v1/search?q=seals', process.pid))
    const stop = new AbortController()
    const ending = own.untilNone(stop.signal, { announce: async () => {}, withdraw: async () => {} })
    await clock.isLookedAt()
    await removeHolder(stateDir, port, process.pid)
    clock.ms = 5000
    expect(await ending).toBe(true)
  })

  test('is not hidden by a request that only says to be of a holder', async () => {
    const { own, clock, ended, stop, ending } = need()
    clock.ms = 4000
    own.note(request('/v1/search?q=seals', 1))
    clock.ms = 303_999
    await clock.isLookedAt()
    expect(ended.value).toBeUndefined()
    stop.abort()
    await ending
    expect(ended.value).toBe(false)
  })

  test('sees a holder that comes while the record is withdrawn, and announces it again', async () => {
    let looks = 0
    const own = new Demand({ stateDir, port, now: () => (looks++ === 0 ? 0 : 5000), pollMs: 1 })
    const stop = new AbortController()
    const announced = Promise.withResolvers<void>()
    const ending = own.untilNone(stop.signal, {
      withdraw: async () => void (await addHolder(stateDir, port, process.pid)),
      announce: async () => {
        const before = looks
        await Bun.sleep(20)
        // It looks no further before it can be found again.
        expect(looks).toBe(before)
        announced.resolve()
      },
    })
    await announced.promise
    stop.abort()
    expect(await ending).toBe(false)
  })

  test('remembers a hundred who say to be holders until it looks, and takes more for others', async () => {
    await addHolder(stateDir, port, process.pid)
    const clock = createClock()
    const own = new Demand({ stateDir, port, now: clock.now, pollMs: 1 })
    for (let stranger = 1; stranger <= 100; stranger++) own.note(request('/v1/search?q=seals', 2 ** 30 + stranger))
    clock.ms = 10_000
    own.note(request('/v1/search?q=seals', process.pid))
    let isEnded = false
    const ending = own
      .untilNone(new AbortController().signal, { announce: async () => {}, withdraw: async () => {} })
      .then(() => {
        isEnded = true
      })
    await clock.isLookedAt()
    await removeHolder(stateDir, port, process.pid)
    clock.ms = 309_999
    await clock.isLookedAt()
    expect(isEnded).toBe(false)
    clock.ms = 310_000
    await ending
  })

  test('is looked at once in the time between two looks, and ends at the signal', async () => {
    await addHolder(stateDir, port, process.pid)
    const clock = createClock()
    const stop = new AbortController()
    const own = new Demand({ stateDir, port, now: clock.now, pollMs: 60_000 })
    const before = clock.reads
    const ending = own.untilNone(stop.signal, { announce: async () => {}, withdraw: async () => {} })
    await Bun.sleep(50)
    expect(clock.reads).toBe(before + 1)
    stop.abort()
    expect(await ending).toBe(false)
  })
})

test('a holder that is not there is taken back without an error', async () => {
  await removeHolder(stateDir, port, process.pid)
  expect(await holdersOf(stateDir, port)).toEqual([])
})
