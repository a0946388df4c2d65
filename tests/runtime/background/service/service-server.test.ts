import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { announceServer, createLocalToken } from '../../../../src/runtime/background/running-servers.ts'
import type { ServiceManager } from '../../../../src/runtime/background/service/service-manager.ts'
import { serverOf, untilServing } from '../../../../src/runtime/background/service/service-server.ts'

let stateDir: string
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'csp-serving-'))
})
afterEach(() => rmSync(stateDir, { recursive: true, force: true }))

/** A manager whose service stands so. */
const systemd = (state?: string) =>
  ({ name: 'systemd', state: async () => ({ isEnabled: true, state }) }) as unknown as ServiceManager

function announce(manager: 'systemd' | 'terminal', port: number) {
  const about = { url: `http://127.0.0.1:${port}`, port, version: '1.2.3', settings: 'a', flags: [], manager }
  return announceServer(stateDir, { ...about, token: createLocalToken() })
}

test('the csp of a service is the one that its manager has started', async () => {
  await announce('terminal', 4711)
  expect(await serverOf(systemd(), stateDir)).toBeUndefined()
  await announce('systemd', 4712)
  expect(await serverOf(systemd(), stateDir)).toMatchObject({ port: 4712 })
})

test('a service that was started again serves once another csp than before has written its record', async () => {
  await announce('systemd', 4711)
  const before = await serverOf(systemd(), stateDir)
  const serving = untilServing(systemd('active'), stateDir, before)
  await Bun.sleep(60)
  await announce('systemd', 4711)
  const found = await serving
  expect(found).toMatchObject({ port: 4711, manager: 'systemd' })
  expect(found?.token).not.toBe(before?.token)
})

/** Waits for a service that never serves, on a clock that each pause moves on. */
async function waiting(states: readonly string[]) {
  let ms = 0
  const looks: number[] = []
  const clock = spyOn(performance, 'now').mockImplementation(() => ms)
  const pause = spyOn(Bun, 'sleep').mockImplementation(async (by) => {
    ms += Number(by)
  })
  const state = async () => ({ isEnabled: true, state: states[looks.push(ms) - 1] ?? 'active' })
  try {
    const manager = { name: 'systemd', state } as unknown as ServiceManager
    return { found: await untilServing(manager, stateDir, undefined), looks, ms }
  } finally {
    clock.mockRestore()
    pause.mockRestore()
  }
}

test('a service is waited for half a minute, and its manager is asked about it each second', async () => {
  const { found, looks, ms } = await waiting([])
  expect([found, ms]).toEqual([undefined, 30_000])
  expect(looks.slice(0, 3)).toEqual([1050, 2100, 3150])
})

test('a service that fails after a while is waited for no longer', async () => {
  expect(await waiting(['active', 'failed'])).toEqual({ found: undefined, looks: [1050, 2100], ms: 2100 })
})

test.each(['failed', 'activating', 'spawn scheduled'])('a service that is %s serves nothing', async (state) => {
  expect(await waiting([state])).toEqual({ found: undefined, looks: [1050], ms: 1050 })
})
