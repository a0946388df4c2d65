import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { momentOf } from '@csp/lib/times'
import { dayOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { checkUnused } from '../../../../src/runtime/cli/doctor/check-backends.ts'
import { checkState } from '../../../../src/runtime/cli/doctor/check-machine.ts'
import { loadConfig } from '../../../../src/runtime/config/config.ts'
import { createLedger } from '../../../../src/runtime/server/accounts.ts'

const home = mkdtempSync(join(tmpdir(), 'csp-doctor-state-'))
afterAll(() => rmSync(home, { recursive: true }))

const load = (flags: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}) =>
  loadConfig(flags, { HOME: home, ...more }, home)

test('doctor says that the budget is spent, and until when, also while no csp runs', async () => {
  expect(await checkState(load({ port: '0', 'daily-searches': '3' }))).toEqual([])
  const spent = { requests: 3, failures: 0, searches: 3, inputTokens: 0, outputTokens: 0 }
  const { stateDir } = load({}).config
  await createLedger(stateDir).add({ day: dayOf(Date.now()), caller: 'local', backend: 'brave', ...spent })
  const [finding] = await checkState(load({ port: '0', 'daily-searches': '3' }))
  expect(finding).toMatchObject({ status: 'warn', check: 'searches' })
  expect(finding?.message).toMatch(/ until .*\d\d:\d\d \(in .*\b3 searches/)
})

test.each([
  ['limited', 'warn'],
  ['degraded', 'warn'],
  ['down', 'fail'],
  ['signed-out', 'fail'],
  ['ok', 'ok'],
])('doctor says what the csp that runs says of its searches: %s', async (status, expected) => {
  // No whole hour: how long that is may be said a moment later.
  const until = new Date(Date.now() + 3_615_000).toISOString()
  const searches = { status, text: `This is so until ${until}.`, until, from_memory: false }
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ status: 'ok', version: '1.2.3', searches }, { headers: { 'x-csp': '1' } }),
  })
  const [finding] = await checkState(load({ port: String(server.port) }))
  expect([finding?.status, finding?.message]).toEqual([expected as never, `This is so until ${momentOf(until)}.`])
})

test('doctor names the keys of upstreams that rest, as the csp that runs says it', async () => {
  const details = ['The key …x7Qd rests for 50 min: its quota is spent.']
  const rows = [{ name: 'claude', details: ['direct: ready'] }, { name: 'Upstream local', details }, { name: 'Cache' }]
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ status: 'ok', version: '1.2.3', rows }, { headers: { 'x-csp': '1' } }),
  })
  const findings = await checkState(load({ port: String(server.port) }))
  expect(findings).toMatchObject([{ status: 'warn', check: 'keys', message: `Upstream local: ${details[0]}` }])
})

test('doctor says that a key of the environment searches nothing, and with auto who is asked first', () => {
  const about = (flags: Readonly<Record<string, string>>) =>
    checkUnused(load(flags, { BRAVE_API_KEY: 'b' }), {}).map(({ check, status, message }) => [check, status, message])
  expect(about({})).toEqual([
    [
      'other keys',
      'warn',
      expect.stringMatching(/not used: brave \(BRAVE_API_KEY\).* in this order.*: brave, claude\.$/),
    ],
  ])
  expect(about({ backends: 'auto' })).toEqual([['order', 'ok', expect.stringMatching(/: brave, claude$/)]])
})

test('doctor says nothing of other keys where there are none, and names those that csp cannot use', () => {
  const about = (environment: Readonly<Record<string, string>>, flags = {}) =>
    checkUnused(load({ backends: 'brave', ...flags }, { BRAVE_API_KEY: 'b' }), environment).map(
      ({ message }) => message,
    )
  expect(about({})).toEqual([])
  const foreign = { SERPAPI_API_KEY: 'k', YDC_API_KEY: 'k', LINKUP_API_KEY: '' }
  expect(about(foreign)).toEqual([expect.stringMatching(/^SERPAPI_API_KEY, YDC_API_KEY /)])
  const orders = [expect.stringMatching(/: brave, claude$/), 'claude']
  expect(about({}, { backends: 'brave,claude', writers: 'claude' })).toEqual(orders)
})

test('doctor says where Claude alone searches, and what could be asked while it cannot', () => {
  const checks = (flags: Readonly<Record<string, string>>) =>
    checkUnused(load(flags), {}).map(({ check, status }) => [check, status])
  expect(checks({})).toEqual([['fallback', 'ok']])
  expect(checks({ backends: 'parallel-free' })).toEqual([])
})

test('doctor names the sandbox of a csp that runs, and says what to do about a limit or a login', async () => {
  const stateOf = async (status: string, more: object = {}) => {
    const searches = { status, text: 'So it is.', from_memory: false }
    const statement = { status: 'ok', version: '1.2.3', searches, ...more }
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json(statement, { headers: { 'x-csp': '1' } }),
    })
    const [finding] = await checkState(load({ port: String(server.port) }))
    return finding
  }
  expect((await stateOf('ok', { sandbox: true }))?.message).toMatch(/^Sandbox: .* So it is\.$/)
  expect(await stateOf('limited')).toMatchObject({ remedy: expect.stringContaining('csp status') })
  expect(await stateOf('signed-out')).toMatchObject({ concernsClaude: true })
  for (const status of ['ok', 'down', 'degraded']) expect((await stateOf(status))?.concernsClaude).toBeUndefined()
})
