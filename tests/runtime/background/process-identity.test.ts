import { expect, test } from 'bun:test'
import { identityOf } from '../../../src/runtime/background/process-identity.ts'

test('the identity of a process is one line, the same as long as it runs, and none where nothing runs', () => {
  const own = identityOf(process.pid)
  expect(own).toBe(identityOf(process.pid))
  // Windows has none.
  expect(own ?? 'x').toMatch(/^[^\n]+$/)
  expect(identityOf(2 ** 30)).toBeUndefined()
})
