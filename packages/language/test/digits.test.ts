import { expect, test } from 'bun:test'
import { withAsciiDigits } from '../src/digits.ts'

test.each([
  ['٢٠٢٦', '2026'],
  ['۲۰۲۶', '2026'],
  ['२०२६ में', '2026 में'],
  ['๒๕๖๙', '2569'],
  ['２０２６年', '2026年'],
  ['②', '②'],
  ['as it is', 'as it is'],
])('the digits of %s', (text, ascii) => {
  expect(withAsciiDigits(text)).toBe(ascii)
})
