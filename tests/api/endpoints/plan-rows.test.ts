import { expect, test } from 'bun:test'
import { describeHealth } from '../../../src/api/endpoints/health-rows.ts'
import { limitWindows } from '../../../src/api/endpoints/plan-rows.ts'
import { formatPlan, formatRateLimit } from '../../../src/api/endpoints/usage.ts'
import type { BackendHealth } from '../../../src/domain/health.ts'

const now = new Date('2026-11-22T15:00:00Z')
const later = '2026-11-22T16:06:00.000Z'
const rowsOf = (backend: Partial<BackendHealth>) =>
  describeHealth({
    executor: { ready: true, backends: [{ name: 'claude', ready: true, ...backend }] },
    ...{ upstreams: [], version: '1', uptimeSeconds: 1, now },
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
  // The one in force may be told without its name, and then it is one of the others.
  expect(limitWindows({ status: 'allowed', windows: [five] }, now)).toEqual([five])
  expect(
    limitWindows({ status: 'allowed', window: 'seven_day', windows: [five, { ...week, resetsAt: later }] }, now),
  ).toEqual([{ ...week, resetsAt: later, status: 'allowed' }, five])
  const ended = { status: 'rejected', window: 'five_hour', resetsAt: now.toISOString() }
  expect(limitWindows(ended, now)).toEqual([{ window: 'five_hour', utilization: 0, status: 'allowed' }])
})

test.each([
  [{ status: 'rejected', utilization: 0.99 }, 'bad', 'Reached.', 1],
  [{ status: 'allowed_warning', utilization: 0.856 }, 'warning', '86% used.', 0.856],
  [{ status: 'allowed' }, 'ok', 'Not reached.', undefined],
] as const)('a usage limit is told: %j', (rateLimit, level, text, used) => {
  const [, , row] = rowsOf({ rateLimit })
  expect([row?.name, row?.level, row?.text, row?.used]).toEqual(['claude usage limit', level, text, used])
})

test.each([
  [{}, undefined, 'ok', 'The last 10% of each limit is kept for you; nothing is paid as extra usage.'],
  [{ reserve: 0, planOnly: false }, undefined, 'ok', 'Nothing is kept; more may be paid as extra usage.'],
  [{}, true, 'warning', /nothing is paid as extra usage\. Claude is paid as extra usage now\.$/],
  [{ paused: { kinds: ['deep'], reason: 'Full.', until: later } }, undefined, 'warning', 'No deep searches now. Full.'],
  [{ paused: { kinds: ['lists'], reason: 'Full.', until: later } }, undefined, 'bad', 'No lists now. Full.'],
] as const)('what is kept of a plan is told: %j', (more, inUse, level, text) => {
  const plan = { reserve: 0.1, planOnly: true, ...more } as never
  const row = rowsOf({ plan, rateLimit: { status: 'allowed', overage: { inUse: inUse ?? false } } }).at(-1)
  expect([row?.name, row?.level]).toEqual(['claude plan', level])
  expect(row?.text).toMatch(text)
  expect(row?.when).toEqual('paused' in more ? { label: 'Until', at: later } : undefined)
})

test('limits and plans have all their fields for programs, null where nothing is known', () => {
  const window = { window: null, utilization: null, resets_at: null }
  expect(formatRateLimit(undefined)).toBeNull()
  expect(formatRateLimit({ status: 'allowed' })).toEqual({ ...window, status: 'allowed' })
  const overage = { inUse: true }
  expect(formatRateLimit({ status: 'allowed', windows: [{ window: 'five_hour', utilization: 0 }], overage })).toEqual({
    ...{ ...window, status: 'allowed', windows: [{ ...window, status: null, window: 'five_hour', utilization: 0 }] },
    overage: { in_use: true, status: null, disabled_reason: null, resets_at: null, daily_cap_paused: false },
  })
  expect(formatPlan({ reserve: 0, planOnly: false })).toEqual({
    reserve: 0,
    plan_only: false,
    paused: null,
    read_at: null,
  })
  const paused = { kinds: ['deep'], reason: 'Full.', until: later } as const
  expect(formatPlan({ reserve: 0.1, planOnly: true, paused, readAt: later })).toEqual({
    ...{ reserve: 0.1, plan_only: true, paused, read_at: later },
  })
})
