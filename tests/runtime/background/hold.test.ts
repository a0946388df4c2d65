import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../../../src/runtime/background/background.ts'
import { holdCsp } from '../../../src/runtime/background/hold.ts'
import { holdersOf } from '../../../src/runtime/background/holders.ts'
import {
  announceServer,
  createLocalToken,
  type RunningServerRecord,
} from '../../../src/runtime/background/running-servers.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-hold-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

const port = 4711

/** Has this process be known as a csp. */
function announce(manager: RunningServerRecord['manager'] = 'programs', at = port) {
  const about = { url: `http://127.0.0.1:${at}`, port: at, version: '1.2.3', settings: 'a', flags: [], manager }
  return announceServer(stateDir, { ...about, token: createLocalToken() })
}

/** Holds a csp for this process, where a start does this. */
function hold(start: () => Promise<RunningServerRecord>, pid = process.pid) {
  return holdCsp({ stateDir, port, pid, environment: {}, flags: ['--sandbox'] }, start)
}

const unneeded = () => Promise.reject(new Error('It was started although it runs.'))

describe('a csp that runs already is used', () => {
  test('and ends with its holders, of which this is one then, if it was started for programs', async () => {
    await announce('programs')
    expect(await hold(unneeded)).toMatchObject({ isNew: false, server: { port, pid: process.pid } })
    expect(await holdersOf(stateDir, port)).toEqual([process.pid])
  })

  test.each(['terminal', 'background', 'systemd'] as const)(
    'and needs no holder, as started by %s',
    async (manager) => {
      await announce(manager)
      expect(await hold(unneeded)).toMatchObject({ isNew: false, server: { manager } })
      expect(await holdersOf(stateDir, port)).toEqual([])
    },
  )

  test('and one at another port is not', async () => {
    await announce('programs', port + 1)
    const failure = new StartError('The port is in use.')
    await expect(hold(() => Promise.reject(failure))).rejects.toBe(failure)
  })
})

describe('a csp that is started', () => {
  test('finds its holder there, and is for programs', async () => {
    const { server } = (await announce().then(() => hold(unneeded))) ?? {}
    rmSync(join(stateDir, 'run'), { recursive: true })
    const given: unknown[] = []
    const start = async (options: unknown) => {
      given.push(options, await holdersOf(stateDir, port))
      if (!server) throw new Error('There is no record.')
      return server
    }
    const held = await holdCsp({ stateDir, port, pid: process.pid, environment: { A: 'b' }, flags: ['--x'] }, start)
    expect(held).toEqual({ server: server as RunningServerRecord, isNew: true })
    expect(given).toEqual([
      expect.objectContaining({ stateDir, environment: { A: 'b' }, flags: ['--x'], isForPrograms: true }),
      [process.pid],
    ])
  })

  test('at once with another one that gets the port gives way to it, and is held there', async () => {
    const start = async () => {
      await announce()
      throw new StartError('The port is in use.')
    }
    expect(await hold(start)).toMatchObject({ isNew: true, server: { port, pid: process.pid } })
    expect(await holdersOf(stateDir, port)).toEqual([process.pid])
  })

  test.each([
    ['by itself', new StartError('The port is in use.'), false],
    ['for another reason', new Error('No disk.'), true],
  ])('and fails %s leaves no holder', async (_, failure, hasOther) => {
    const start = async () => {
      if (hasOther) await announce()
      throw failure
    }
    await expect(hold(start)).rejects.toBe(failure)
    expect(await holdersOf(stateDir, port)).toEqual([])
  })
})

test('a process that has ended holds nothing', async () => {
  const ended = 2 ** 22 + 1
  expect(await hold(unneeded, ended)).toBeUndefined()
})
