import { afterEach, beforeEach, expect, test } from 'bun:test'
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

test.each(['failed', 'activating', 'spawn scheduled'])('a service that is %s serves nothing', async (state) => {
  expect(await untilServing(systemd(state), stateDir, undefined)).toBeUndefined()
})
