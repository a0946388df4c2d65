import { expect, test } from 'bun:test'
import { flagArguments, oneOf, wholeNumber } from '../../../src/runtime/cli/command.ts'
import { UsageError } from '../../../src/runtime/config/usage-error.ts'

test('flags become arguments again, without those that are absent or off', () => {
  expect(flagArguments({ sandbox: true, port: '8080', host: undefined, page: false, model: '' })).toEqual([
    '--sandbox',
    '--port=8080',
    '--model=',
  ])
})

test.each([
  ['3', 3],
  ['5', 5],
  ['2', undefined],
  ['6', undefined],
  ['4.5', undefined],
  ['-3', undefined],
  ['', undefined],
  [' 4', undefined],
  ['0x4', undefined],
])('of the whole numbers from 3 to 5, %j is %p', (text, expected) => {
  const read = () => wholeNumber(3, 5)(text, 'count')
  if (expected !== undefined) expect(read()).toBe(expected)
  else expect(read).toThrow(new UsageError(`--count must be a whole number from 3 to 5, not ${JSON.stringify(text)}`))
})

test('a whole number without a maximum may have twelve digits', () => {
  expect(wholeNumber(1)('999999999999', 'count')).toBe(999_999_999_999)
  expect(() => wholeNumber(1)('0', 'count')).toThrow('--count must be a whole number of 1 or more, not "0"')
  expect(() => wholeNumber(1)('1000000000000', 'count')).toThrow(UsageError)
})

test('one of some words is taken as it is written, and all are named for another one', () => {
  const read = oneOf(['on', 'off', ''])
  expect([read('on', 'light'), read('', 'light')]).toEqual(['on', ''])
  expect(() => read('On', 'light')).toThrow(new UsageError('--light must be one of: on, off, , not "On"'))
})
