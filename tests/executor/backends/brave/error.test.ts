import { expect, test } from 'bun:test'
import { explainBrave } from '../../../../src/executor/backends/brave/error.ts'
import { braveQuota, braveReset } from '../../../../src/executor/backends/brave/quota.ts'

const now = new Date('2026-05-20T12:00:00Z')
const body = (error: object) => JSON.stringify({ error })
const later = { 'retry-after': '7' }

test.each<[number, string, Record<string, string>, string, string, number | undefined]>([
  [200, '<html>', later, 'failed', 'sent something other than results', undefined],
  [401, '', later, 'signed-out', 'refuses the key', undefined],
  [403, '', {}, 'signed-out', 'refuses the key', undefined],
  [422, body({ code: 'SUBSCRIPTION_TOKEN_INVALID' }), {}, 'signed-out', 'refuses the key', undefined],
  [
    422,
    body({ meta: { errors: [{ loc: ['header', 'X-Subscription-Token'] }] } }),
    {},
    'signed-out',
    'BRAVE_API_KEY',
    undefined,
  ],
  [402, '', later, 'rate-limited', 'The credit at Brave', undefined],
  [429, body({ code: 'CREDIT_EXHAUSTED' }), {}, 'rate-limited', 'The credit at Brave', undefined],
  [429, body({ code: 'QUOTA_LIMITED' }), later, 'rate-limited', 'The quota at Brave', 7],
  [
    429,
    body({ code: 'RATE_LIMITED' }),
    { 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9' },
    'rate-limited',
    'too many requests',
    9,
  ],
  [429, '', {}, 'rate-limited', 'too many requests', 1],
  [
    422,
    body({ meta: { errors: [{ loc: ['query', 'Country'] }, { loc: ['query', 'q'] }] } }),
    {},
    'invalid-request',
    'refused the request (country, q).',
    undefined,
  ],
  [400, '', {}, 'invalid-request', 'refused the request.', undefined],
  [404, '', later, 'unavailable', 'nothing at this address', undefined],
  [500, '', later, 'unavailable', 'failed (500)', 7],
])('Brave’s status %i with %s is explained', (status, text, headers, code, message, retryAfterSeconds) => {
  const error = explainBrave({ status, text, headers: new Headers(headers) } as never, now)
  expect<unknown>([error.code, error.retryAfterSeconds]).toEqual([code, retryAfterSeconds])
  expect(error.message).toContain(message)
})

test('the cause of a failure has its status, its code and 300 characters of its words', () => {
  const causeOf = (text: string) => explainBrave({ status: 500, text, headers: new Headers() } as never, now).cause
  expect(causeOf(body({ code: 'INTERNAL', detail: 'x'.repeat(400) }))).toBe(`500 INTERNAL ${'x'.repeat(300)}`)
  expect(causeOf('')).toBe('500')
})

test('a field that Brave refuses is named in 60 characters at most', () => {
  const text = body({ code: 'VALIDATION', meta: { errors: [{ loc: ['query', 'Q'.repeat(61)] }] } })
  const { message } = explainBrave({ status: 422, text, headers: new Headers() } as never, now)
  expect(message).toBe(`Brave Search refused the request (${'q'.repeat(60)}).`)
})

const limits = (limit: string, remaining: string, reset: string) =>
  new Headers({ 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset })

test.each([
  [
    limits('1, 2000', '0, 500', '1, 86401'),
    { status: 'allowed', window: 'month', utilization: 0.75, resetsAt: '2026-05-21T12:00:01.000Z' },
    1,
  ],
  [
    limits('1, 2000', '1, 0', '1, 86400'),
    { status: 'rejected', window: undefined, utilization: 1, resetsAt: '2026-05-21T12:00:00.000Z' },
    86_400,
  ],
  [
    limits('2, 100', '0, 0', '5, 3'),
    { status: 'rejected', window: undefined, utilization: 1, resetsAt: '2026-05-20T12:00:03.000Z' },
    5,
  ],
  [
    limits('10', '20', '3'),
    { status: 'allowed', window: undefined, utilization: 0, resetsAt: '2026-05-20T12:00:03.000Z' },
    undefined,
  ],
  [
    limits('1, 0', '1, 0', '1, 9'),
    { status: 'allowed', window: undefined, utilization: 0, resetsAt: '2026-05-20T12:00:01.000Z' },
    undefined,
  ],
  [
    limits('1, ', '0, 1', '4, 1'),
    { status: 'rejected', window: undefined, utilization: 1, resetsAt: '2026-05-20T12:00:04.000Z' },
    4,
  ],
  [
    limits('1, 5', '1, ', '1, 9'),
    { status: 'allowed', window: undefined, utilization: 0, resetsAt: '2026-05-20T12:00:01.000Z' },
    undefined,
  ],
  [limits('', '', ''), undefined, undefined],
  [new Headers(), undefined, undefined],
])(
  'the quota is that of the longest window, and the wait that of those that are used up (%#)',
  (headers, quota, reset) => {
    expect(braveQuota(headers, now)).toEqual(quota as never)
    expect(braveReset(headers)).toBe(reset as never)
  },
)
