import { expect, test } from 'bun:test'
import { describeHealth, statusOf } from '../../../src/api/endpoints/health-rows.ts'
import { limitWindows } from '../../../src/api/endpoints/plan-rows.ts'
import type { BackendHealth, ExecutorHealth } from '../../../src/domain/health.ts'

const now = new Date('2026-11-22T15:00:00Z')
const later = '2026-11-22T16:06:00.000Z'
const rows = (executor: ExecutorHealth) =>
  describeHealth({ executor, upstreams: [], version: '1.2.3', uptimeSeconds: 120, now })
const rowsOf = (backend: Partial<BackendHealth>) =>
  rows({ ready: true, backends: [{ name: 'claude', ready: true, ...backend }] })

test('a state of all is not confused with how long csp has been running', () => {
  const [down] = rows({ ready: false, backends: [] })
  expect(down).toEqual({
    name: 'csp',
    level: 'bad',
    text: 'Searches cannot work now. Version 1.2.3, running for 2 min.',
  })
})

test('a failed last search is no working state, although the backend is ready', () => {
  const lastError = { code: 'failed', message: 'It broke.', at: now.toISOString() } as const
  const backend = { name: 'claude', ready: true, lastError }
  const failing = { ready: true, backends: [{ ...backend, lastSearchFailed: true }] }
  expect(statusOf({ executor: failing, upstreams: [] })).toBe('degraded')
  expect(rows(failing).map(({ name, level, text }) => [name, level, text])).toEqual([
    ['csp', 'warning', 'The last search failed. Version 1.2.3, running for 2 min.'],
    ['claude', 'ok', 'Ready.'],
    ['claude last error', 'warning', 'It broke.'],
  ])
  const recovered = { ready: true, backends: [{ ...backend, lastSearchFailed: false }] }
  expect(statusOf({ executor: recovered, upstreams: [] })).toBe('ok')
  expect(rows(recovered).every(({ level }) => level === 'ok')).toBe(true)
  expect(rows(recovered).at(-1)?.text).toBe('It broke. Searches have worked since.')
  // Only the start of the CLI has failed: no search was tried.
  expect(rows({ ready: true, backends: [backend] }).at(-1)).toMatchObject({ level: 'warning', text: 'It broke.' })
})

test('who writes is said in a word', () => {
  expect(rowsOf({ writes: true, engines: { agent: '1 worker' } })[1]?.details).toEqual(['agent: 1 worker', 'writer'])
  expect(rowsOf({})[1]?.details).toEqual([])
})

test('an error that is the problem itself is told once', () => {
  const lastError = { code: 'unavailable', message: 'No CLI.', at: now.toISOString() } as const
  const found = rowsOf({ ready: false, problem: 'No CLI.', lastError })
  expect(found.filter(({ text }) => text.includes('No CLI.')).map(({ name }) => name)).toEqual(['claude'])
})

const up = { name: 'local', ready: true }
const gone = { name: 'other', ready: false, problem: 'It fails.' }
test.each([
  [true, [up], 'ok', 'Searches work. The gateway works.'],
  [false, [up], 'degraded', 'Searches cannot work now. The gateway works.'],
  [false, [gone, up], 'degraded', 'Searches cannot work now. The gateway works, but not with every upstream.'],
  [true, [gone], 'degraded', 'Searches work. The gateway cannot work now.'],
  [false, [gone], 'down', 'Searches cannot work now. The gateway cannot work now.'],
] as const)('with searches %p and upstreams %j csp is %s', (ready, upstreams, status, text) => {
  const found = { executor: { ready, backends: [{ name: 'claude', ready }] }, upstreams }
  expect(statusOf(found)).toBe(status)
  const [whole] = describeHealth({ ...found, version: '1.2.3', uptimeSeconds: 120, now })
  const level = { ok: 'ok', degraded: 'warning', down: 'bad' } as const
  expect(whole).toMatchObject({ level: level[status], text: expect.stringContaining(text) })
})

test('each window of a limit has one row, and one that has ended counts as unused', () => {
  const five = { window: 'five_hour', utilization: 0.2, resetsAt: later }
  const week = { window: 'seven_day', utilization: 0.61, resetsAt: '2026-11-22T14:59:00.000Z' }
  const rateLimit = { ...five, status: 'allowed', windows: [five, week] }
  expect(rowsOf({ rateLimit }).slice(2)).toEqual([
    { name: 'claude 5-hour limit', level: 'ok', text: '20% used.', used: 0.2, when: { label: 'Resets', at: later } },
    { name: 'claude 7-day limit', level: 'ok', text: '0% used.', used: 0 },
  ])
  expect(limitWindows(undefined, now)).toEqual([])
})
