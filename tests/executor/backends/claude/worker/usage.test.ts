import { expect, test } from 'bun:test'
import { limitInfo, usageFrom } from '../../../../../src/executor/backends/claude/worker/usage.ts'

const end = '2026-11-22T15:00:00Z'
const iso = '2026-11-22T15:00:00.000Z'

function answerWith(limits: Readonly<Record<string, unknown>>) {
  return { subscription_type: 'max', rate_limits_available: true, rate_limits: limits }
}

test('windows of a plan are read in percent, those that it lacks are left out', () => {
  const usage = usageFrom(
    answerWith({
      five_hour: { utilization: 12, resets_at: end },
      seven_day: { utilization: 91.5, resets_at: end },
      seven_day_opus: null,
      extra_usage: { is_enabled: true, monthly_limit: null, used_credits: 3, utilization: null },
    }),
  )
  expect(usage).toEqual({
    ...{ status: 'allowed', window: 'seven_day', utilization: 0.915, resetsAt: iso },
    windows: [
      { window: 'five_hour', status: 'allowed', utilization: 0.12, resetsAt: iso },
      { window: 'seven_day', status: 'allowed', utilization: 0.915, resetsAt: iso },
    ],
    overage: { inUse: false, status: 'allowed' },
  })
})

test('a plan without a window of five hours, with windows of models and with unknown ones', () => {
  const usage = usageFrom(
    answerWith({
      five_hour: null,
      month: { utilization: 100, resets_at: null },
      model_scoped: [{ display_name: 'Fable', utilization: 40, resets_at: end }, { display_name: 'Odd' }, 7],
    }),
  )
  expect(usage).toMatchObject({ status: 'rejected', window: 'month' })
  expect(usage?.windows).toEqual([
    { window: 'month', status: 'rejected', utilization: 1, resetsAt: undefined },
    { window: 'seven_day_fable', status: 'allowed', utilization: 0.4, resetsAt: iso },
  ])
})

test.each([
  ['a token in the environment', { rate_limits_available: false, rate_limits: null }],
  ['another answer', 'no'],
  ['no answer', undefined],
])('%s says nothing', (_, answer) => {
  expect(usageFrom(answer)).toBeUndefined()
})

test('limits that could not be had now are a failure', () => {
  expect(() => usageFrom({ rate_limits_available: true, rate_limits: null })).toThrow('does not say now')
})

test('the name of a limit that is no name is left out, and the rest is read', () => {
  const limit = { status: 'allowed', utilization: 0.5 }
  expect(limitInfo.parse({ ...limit, rateLimitType: 'five_hour' })).toMatchObject({ rateLimitType: 'five_hour' })
  expect(limitInfo.parse({ ...limit, rateLimitType: 'x'.repeat(101) })).toMatchObject({
    ...limit,
    rateLimitType: undefined,
  })
})
