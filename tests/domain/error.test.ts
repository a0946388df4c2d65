import { describe, expect, test } from 'bun:test'
import {
  type ErrorTraits,
  mayPassWithin,
  SearchError,
  type SearchErrorCode,
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
})
