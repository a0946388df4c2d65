import { expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import type { Failure } from '../../../src/api/exchange/failure.ts'
import { Refusal } from '../../../src/api/exchange/refusal.ts'
import { failureHeaders, failureOf } from '../../../src/api/http/failure-of.ts'
import { SearchError } from '../../../src/domain/error.ts'

test('a failure with a wait says when it ends, and its message without that time', () => {
  const error = new SearchError('busy', 'No.', { retryAfterSeconds: 90 })
  expect(failureOf(error, Date.parse('2026-11-20T10:00:00Z'))).toEqual({
    ...{ code: 'busy', status: 429, message: 'No. Try again in 90 s.', issues: [] },
    ...{ retryAfterSeconds: 90, retryAt: '2026-11-20T10:01:30.000Z', reason: 'No.' },
  })
  expect(failureOf(new SearchError('busy', 'No.'))).toEqual({ code: 'busy', status: 429, message: 'No.', issues: [] })
})

test.each([
  ['page-unreadable', { code: 'page-unreadable', page: 'empty', status: 422 }, new PageError('empty', 'No.')],
  ['timeout', { code: 'timeout', page: undefined, status: 504 }, new PageError('timeout', 'No.')],
  ['jobs-off', { code: 'jobs-off', status: 501 }, new Refusal('jobs-off', 'No.')],
  ['too-large', { code: 'too-large', status: 413 }, new Refusal('too-large', 'No.')],
  ['encoded-body', { code: 'encoded-body', status: 415 }, new Refusal('encoded-body', 'No.')],
])('the failure %s', (_code, expected, error) => {
  expect(failureOf(error)).toEqual({ message: 'No.', issues: [], ...expected } as Failure)
})

test.each([
  // Client libraries wait for a minute at most.
  ['rate-limited', 60, { 'retry-after': '60' }],
  ['rate-limited', 61, { 'retry-after': '61', 'x-should-retry': 'false' }],
  ['rate-limited', undefined, { 'x-should-retry': 'false' }],
  ['busy', 61, { 'retry-after': '61' }],
  ['busy', undefined, {}],
  ['timeout', undefined, { 'x-should-retry': 'false' }],
  ['too-large', undefined, { 'x-should-retry': 'false' }],
  ['unauthorized', undefined, { 'www-authenticate': 'Bearer', 'x-should-retry': 'false' }],
] as const)('the headers of %s with a wait of %p', (code, retryAfterSeconds, headers) => {
  expect(failureHeaders({ code, status: 400, message: '', issues: [], retryAfterSeconds })).toEqual(headers)
})

test('the time at which a client may try again stands in a header', () => {
  const failure = failureOf(new SearchError('busy', 'No.', { retryAfterSeconds: 1 }), 0)
  expect(failureHeaders(failure)).toEqual({ 'retry-after': '1', 'x-csp-retry-at': '1970-01-01T00:00:01.000Z' })
})
