import { expect, test } from 'bun:test'
import { limitFrom, limitInfo, limitNews, usageFrom } from '../../../../../src/executor/backends/claude/worker/usage.ts'

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

test('a share of a window is believed up to a thousand of it, and a name up to 60 characters', () => {
  const shareOf = (utilization: number) => limitFrom(limitInfo.parse({ status: 'allowed', utilization })).utilization
  expect([shareOf(1000), shareOf(1000.5), shareOf(-1)]).toEqual([1000, undefined, undefined])
  const [long, most] = ['x'.repeat(61), { utilization: 100_000 }]
  const usage = usageFrom(answerWith({ [long]: most, more: { utilization: 100_001 }, less: { utilization: -1 } }))
  expect(usage?.windows).toEqual([
    { window: long.slice(1), status: 'rejected', utilization: 1000, resetsAt: undefined },
  ])
})

test('a plan that names no window is allowed; one that says nothing of extra usage has none', () => {
  expect(usageFrom(answerWith({}))).toEqual({ status: 'allowed', windows: [] })
  const rejected = { inUse: false, status: 'rejected' }
  expect(usageFrom(answerWith({ extra_usage: { is_enabled: false } }))).toMatchObject({ overage: rejected })
})

test('a window counts until 100 %; that of a model without a name is kept', () => {
  const windows = usageFrom(
    answerWith({ five_hour: { utilization: 99.9 }, model_scoped: [{ utilization: 100 }] }),
  )?.windows
  expect(windows?.map(({ window, status }) => [window, status])).toEqual([
    ['five_hour', 'allowed'],
    ['seven_day_', 'rejected'],
  ])
})

test.each([
  [{ isUsingOverage: true, overageInUse: false }, true],
  [{ overageInUse: true }, true],
  [{ isUsingOverage: false, overageInUse: false }, false],
  [{ overageStatus: 'allowed' }, false],
  [{ overageDisabledReason: 'out_of_credits' }, undefined],
  [{}, undefined],
])('extra usage is paid where one of the fields says so: %j', (fields, inUse) => {
  expect(limitFrom(limitInfo.parse({ status: 'allowed', ...fields })).overage?.inUse).toBe(inUse)
})

test('a limit is news when its state or its window changes to one that is not simply allowed', () => {
  const limits = [
    { status: 'allowed', window: 'five_hour' },
    { status: 'allowed_warning', window: 'five_hour', utilization: 0.914, resetsAt: iso },
    { status: 'allowed_warning', window: 'five_hour', utilization: 0.92 },
    {
      ...{ status: 'allowed_warning', window: 'seven_day' },
      windows: [
        { window: 'five_hour', utilization: 1 },
        { window: 'seven_day' },
        { window: 'month', status: 'allowed' },
      ],
    },
    { status: 'rejected', window: 'seven_day' },
    { status: 'allowed', window: 'seven_day' },
  ]
  const news = limits.map((limit, at) => limitNews(limit, limits[at - 1]))
  const head = 'The usage limit of this subscription:'
  expect(news).toEqual([
    undefined,
    `${head} five_hour allowed_warning, 91 % used, until ${iso}.`,
    undefined,
    `${head} seven_day allowed_warning; five_hour, 100 % used; month allowed.`,
    `${head} seven_day rejected.`,
    undefined,
  ])
  expect(limitNews({ status: 'rejected' }, undefined)).toBe(`${head} rejected.`)
})
