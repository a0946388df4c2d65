import { describe, expect, test } from 'bun:test'
import { abortError } from '../../src/domain/abort.ts'
import {
  type ErrorTraits,
  mayPassWithin,
  SearchError,
  type SearchErrorCode,
  toSearchError,
  traitsOf,
  withRetryTime,
} from '../../src/domain/error.ts'

const codes: readonly SearchErrorCode[] = [
  'invalid-request',
  'unauthorized',
  'signed-out',
  'rate-limited',
  'busy',
  'unavailable',
  'ungrounded',
  'timeout',
  'cancelled',
  'failed',
]

const codesWhere = (holds: (traits: ErrorTraits) => boolean) => codes.filter((code) => holds(traitsOf(code)))

describe('the traits of error codes', () => {
  test('name the failures that no other backend can mend', () => {
    expect(codesWhere(({ isCallerFault }) => isCallerFault)).toEqual(['invalid-request', 'unauthorized', 'cancelled'])
  })

  test('name the failures that open a circuit breaker', () => {
    const down = ['signed-out', 'rate-limited', 'unavailable', 'timeout', 'failed'] as const
    expect(codesWhere(({ marksBackendDown }) => marksBackendDown)).toEqual([...down])
    expect(codesWhere(({ isKeptByBreaker }) => isKeptByBreaker)).toEqual(['signed-out', 'rate-limited'])
  })

  test('name the failures that are faults of a server', () => {
    expect(codesWhere(({ isFault }) => isFault)).toEqual([
      'signed-out',
      'unavailable',
      'ungrounded',
      'timeout',
      'failed',
    ])
  })

  test('name the failures of a writer that excerpts may stand in for', () => {
    const outages = ['signed-out', 'rate-limited', 'busy', 'unavailable', 'timeout'] as const
    expect(codesWhere(({ isOutage }) => isOutage)).toEqual([...outages])
  })

  test('name the failures that may have cost a search', () => {
    const paid = ['ungrounded', 'timeout', 'cancelled', 'failed'] as const
    expect(codesWhere(({ mayHaveSearched }) => mayHaveSearched)).toEqual([...paid])
  })

  test('say which failures are worth another try within seconds', () => {
    const passes = (code: SearchErrorCode, retryAfterSeconds?: number) =>
      mayPassWithin(new SearchError(code, 'It broke.', { retryAfterSeconds }), 2)
    expect(codes.filter((code) => passes(code))).toEqual(['unavailable'])
    expect(codes.filter((code) => passes(code, 2))).toEqual(['rate-limited', 'unavailable'])
    expect(codes.filter((code) => passes(code, 3))).toEqual([])
  })
})

test('the time of the next try is named in UTC for readers elsewhere, and in seconds while it is near', () => {
  const now = Date.parse('2026-11-22T15:04:00Z')
  const say = (code: SearchErrorCode, retryAfterSeconds?: number) =>
    withRetryTime(new SearchError(code, 'No.', { retryAfterSeconds }), now)
  expect(say('rate-limited')).toBe('No.')
  expect(say('rate-limited', 3720)).toBe('No. Resets at 16:06 UTC (in 1 h 2 min).')
  expect(say('rate-limited', 3 * 86_400)).toBe('No. Resets at 2026-11-25 15:04 UTC (in 3 d).')
  expect(say('busy', 7)).toBe('No. Try again in 7 s.')
  expect(say('busy', 120)).toBe('No. Try again at 15:06 UTC (in 2 min).')
  expect(say('rate-limited', 119)).toBe('No. Try again in 119 s.')
})

test('others read the message, unless there are words for them; a limit is of one model, unless it is of all', () => {
  const plain = new SearchError('rate-limited', 'No.')
  expect([plain.forOthers, plain.isForAll]).toEqual(['No.', false])
  const told = new SearchError('rate-limited', 'No.', { forOthers: 'A limit.', isForAll: true })
  expect([told.forOthers, told.isForAll]).toEqual(['A limit.', true])
})

const named = (name: string) => Object.assign(new Error('x'), { name })

test.each([
  ['an AbortError', named('AbortError'), 'cancelled', 'The request was cancelled.'],
  ['a TimeoutError', named('TimeoutError'), 'timeout', 'The search took too long.'],
  ['another error', named('TypeError'), 'failed', 'The search failed.'],
  ['what is no error', { name: 'AbortError' }, 'failed', 'The search failed.'],
])('%s makes a search error', (_, thrown, code, message) => {
  expect(toSearchError(thrown)).toMatchObject({ code, message, cause: thrown })
  const own = new SearchError('busy', 'No.')
  expect(toSearchError(own)).toBe(own)
})

test.each([
  ['a TimeoutError', named('TimeoutError'), 'timeout'],
  ['what is no error', { name: 'TimeoutError' }, 'cancelled'],
  ['another error', named('AbortError'), 'cancelled'],
  ['a word', 'left', 'cancelled'],
])('a search whose signal aborts with %s ends', (_, reason, code) => {
  expect(abortError(AbortSignal.abort(reason))).toMatchObject({ code, cause: reason })
})
