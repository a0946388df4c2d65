import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dayOf, nothing } from '../../../../src/executor/layers/metering/ledger.ts'
import { main } from '../../../../src/runtime/cli/main.ts'
import { createLedger } from '../../../../src/runtime/server/accounts.ts'
import { type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { testShell } from '../../test-shell.ts'

const today = dayOf(Date.now())

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
  const ledger = createLedger(join(home.path, '.local', 'state', 'csp'))
  const spent = { ...nothing, day: today, requests: 1, searches: 1, inputTokens: 1200, outputTokens: 30 }
  await ledger.add({ ...spent, caller: 'phone', backend: 'claude' })
  await ledger.add({ ...spent, caller: 'phone', backend: 'claude' })
  await ledger.add({ ...spent, caller: 'desk', backend: 'brave', failures: 1, searches: 0 })
  await ledger.add({ ...nothing, day: today, caller: 'phone', backend: 'pages', pages: 7 })
})
afterAll(() => home[Symbol.asyncDispose]())

async function csp(...args: string[]) {
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  const code = await main(args, shell)
  return { code, printed: shell.printed(), complaints: shell.complaints() }
}

test('csp status --days shows each day by key and by backend, without a server', async () => {
  const { code, printed, complaints } = await csp('status', '--days', '7')
  expect(code).toBe(0)
  expect(complaints).toBe('')
  expect(printed).toMatch(new RegExp(`^${today} +3 +1 +2 +3600 +90 +7 +\\$0.03$`, 'm'))
  expect(printed).toMatch(/^ {2}phone +2 +0 +2 +2400 +60 +7$/m)
  expect(printed).toMatch(/^ {2}desk +1 +1 +0 +1200 +30 +0$/m)
  expect(printed).not.toMatch(/^ {2}pages/m)
  expect(printed).toMatch(/^ {2}claude +2 +0 +2 +2400 +60 +0 +\$0\.03$/m)
  expect(printed).toContain('Not charged on a subscription')
  expect(printed).toMatch(/^ {2}brave +1 +1 +0 +1200 +30 +0$/m)
})

test('csp status --days --json is equal to /v1/usage, with the configured limits and the list price of what has one', async () => {
  const { printed } = await csp('status', '--days', '2', '--daily-searches', '4', '--json')
  const report = JSON.parse(printed)
  expect(report).toMatchObject({ object: 'usage', key: null, time_zone: 'UTC', warning: null })
  expect(report.days).toHaveLength(2)
  expect(report.days[0]).toMatchObject({ day: today, searches: 2, by_key: { phone: { searches: 2, pages: 7 } } })
  // Two searches, and 2400 and 60 tokens of sonnet.
  const price = 0.02 + (2400 * 3 + 60 * 15) / 1e6
  expect(report.days[0]).toMatchObject({ list_price_usd: price, by_backend: { claude: { list_price_usd: price } } })
  expect(report.days[0].by_backend.brave).toMatchObject({ requests: 1, list_price_usd: null })
  expect(report.days[1]).toMatchObject({ searches: 0, list_price_usd: null, by_backend: {} })
  expect(report.days[0].by_backend.pages).toMatchObject({ requests: 0, pages: 7 })
  expect(report.limits).toMatchObject([{ kind: 'searches', window: 'day', limit: 4, used: 2, left: 2 }])
})

test('csp status --days says when a limit is nearly reached', async () => {
  const { printed } = await csp('status', '--days', '7', '--daily-tokens', '4000')
  expect(printed).toContain('3690 of 4000 tokens of today are used, 310 left')
  expect(printed).toContain("This server's daily limit of 4000 tokens is used to 92 %")
})

test('csp status --days says so when nothing was spent', async () => {
  const { code, printed } = await csp(
    'status',
    '--days',
    '7',
    '--state-dir',
    join(home.path, 'none'),
    '--daily-searches',
    '0',
  )
  expect(code).toBe(0)
  expect(printed).toBe('Nothing was spent in 7 days.\n')
})

test('csp status --days fails when the ledger cannot be read', async () => {
  await writeFile(join(home.path, 'usage'), 'no folder')
  const { code, complaints } = await csp('status', '--days', '7', '--state-dir', home.path)
  expect(code).toBe(1)
  expect(complaints).toContain('The ledger could not be read: ENOTDIR')
})

test('csp status --days shows an upstream of the gateway, also where nothing else was asked', async () => {
  await using alone = await scratchHome()
  const ledger = createLedger(join(alone.path, '.local', 'state', 'csp'))
  const spent = { ...nothing, day: today, requests: 1, inputTokens: 900, outputTokens: 80 }
  await ledger.add({ ...spent, caller: '(local)', backend: 'gateway/ollama' })
  const shell = testShell({ environment: { HOME: alone.path }, directory: alone.path })
  expect(await main(['status', '--days', '7'], shell)).toBe(0)
  expect(shell.printed()).toMatch(/^ {2}gateway\/ollama +1 +0 +0 +900 +80 +0$/m)
})

test('csp status --days shows a single backend by its day alone, prices from a cent on in full, and when the day ends', async () => {
  await using alone = await scratchHome()
  const ledger = createLedger(join(alone.path, '.local', 'state', 'csp'))
  await ledger.add({ ...nothing, day: today, requests: 1, searches: 1, caller: '(local)', backend: 'claude' })
  const show = async (...flags: readonly string[]) => {
    const shell = testShell({ environment: { HOME: alone.path }, directory: alone.path })
    await main(['status', '--days', '7', ...flags], shell)
    return shell.printed()
  }
  expect(await show()).toMatch(new RegExp(`^${today} +1 +0 +1 +0 +0 +0 +\\$0\\.01$`, 'm'))
  expect(await show()).not.toContain('claude')
  expect(await show('--daily-searches', '4')).toMatch(
    /1 of 4 searches of today are used, 3 left; the UTC day ends in \d/,
  )
})
