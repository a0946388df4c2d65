import { afterAll, expect, test } from 'bun:test'
import { main } from '../../../src/runtime/cli/main.ts'
import { timeOf } from '../../../src/runtime/cli/times.ts'
import { scratchHome } from '../../support/real-claude.ts'
import { testShell } from '../test-shell.ts'

const home = await scratchHome()
const five = { status: 'allowed', window: 'five_hour', utilization: 0.2, resets_at: '2026-11-21T12:00:00.000Z' }
const week = { status: null, window: 'seven_day', utilization: 0.61, resets_at: '2026-11-24T12:00:00.000Z' }
const day = { key: null, kind: 'searches', window: 'day', limit: 500, used: 12, left: 488, resets_at: five.resets_at }
const health = {
  status: 'ok',
  backends: [{ name: 'claude', ready: true, rate_limit: { ...five, windows: [five, week] } }],
  gateway: [
    { name: 'ollama', ready: true, cached_share: 0.625 },
    { name: 'openrouter', ready: false, problem: 'The upstream openrouter has failed.' },
  ],
  budget: { limits: [day], warning: null, problem: null },
}
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(health) })
afterAll(async () => {
  await server.stop(true)
  await home[Symbol.asyncDispose]()
})

test('csp status shows both windows of the usage limit, and how far the budget of the day is used', async () => {
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  expect(await main(['status', `http://127.0.0.1:${server.port}`], shell)).toBe(0)
  const printed = shell.printed()
  expect(printed).toContain(`usage limit: allowed, five_hour, 20 % used, until ${timeOf('2026-11-21T12:00:00.000Z')} (`)
  expect(printed).toContain(`usage limit: seven_day, 61 % used, until ${timeOf('2026-11-24T12:00:00.000Z')} (`)
  expect(printed).toContain('budget: 12 of 500 searches a day (--daily-searches sets another, 0 lifts it)\n')
})

test('csp status shows how the upstreams of the gateway stand, and how much of their input a cache held', async () => {
  const shell = testShell({ environment: { HOME: home.path }, directory: home.path })
  expect(await main(['status', `http://127.0.0.1:${server.port}`], shell)).toBe(0)
  expect(shell.printed()).toContain('  gateway, ollama: ready, 63 % of input tokens from its cache\n')
  expect(shell.printed()).toContain('  gateway, openrouter: The upstream openrouter has failed.\n')
})
