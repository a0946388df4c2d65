import { expect, test } from 'bun:test'
import { isAdmitted } from '../../src/domain/account.ts'

test.each([
  ['phone', ['phone', 'laptop'], true],
  ['phone', ['laptop'], false],
  // The last key was removed, so anybody may search, but not in its name.
  ['phone', [], false],
  ['anonymous', [], true],
  ['anonymous', ['phone'], false],
  ['local', ['phone'], true],
  ['local', [], true],
] as const)('the account %p with the keys %p: %p', (account, keys, expected) => {
  expect(isAdmitted(account, keys)).toBe(expected)
})
