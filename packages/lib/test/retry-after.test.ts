import { expect, test } from 'bun:test'
import { retryAfter } from '../src/retry-after.ts'

test.each([
  ['7', 7],
  ['0', 1],
  ['1.2', 2],
  ['Wed, 20 May 2026 12:00:30 GMT', 30],
  ['Wed, 20 May 2026 11:00:00 GMT', 1],
  ['soon', undefined],
  ['99999999999', undefined],
  ['', undefined],
])('the header Retry-After: %s means %p seconds', (value, seconds) => {
  expect(retryAfter(new Headers({ 'retry-after': value }), new Date('2026-05-20T12:00:00Z'))).toBe(seconds)
})
