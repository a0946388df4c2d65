import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { momentOf } from '../../../../src/lib/times.ts'
import { checkUnused } from '../../../../src/runtime/cli/doctor/check-backends.ts'
import { checkState } from '../../../../src/runtime/cli/doctor/check-state.ts'
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
  expect(finding?.message).toMatch(/^No new searches until .*\d\d:\d\d \(in .*\): daily limit of 3 searches\.$/)
})

test.each([
  ['limited', 'warn'],
  ['degraded', 'warn'],
  ['down', 'fail'],
  ['signed-out', 'fail'],
  ['ok', 'ok'],
])('doctor says what the csp that runs says of its searches: %s', async (status, expected) => {
  const until = new Date(Date.now() + 3_600_000).toISOString()
  const searches = { status, text: `This is so until ${until}.`, until, from_memory: false }
  using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ status: 'ok', version: '1.2.3', searches }, { headers: { 'x-csp': '1' } }),
  })
  const [finding] = await checkState(load({ port: String(server.port) }))
  expect([finding?.status, finding?.message]).toEqual([expected as never, `This is so until ${momentOf(until)}.`])
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
