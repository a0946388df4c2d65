import { expect, test } from 'bun:test'
import { tableLines, tableText } from '../../../src/runtime/shell/printed.ts'

const rows = [
  ['name', 'count', ''],
  ['a', '7'],
  ['a longer name', '1000'],
]

test.each([
  [{}, ['name           count', 'a              7', 'a longer name  1000']],
  [{ numbersFrom: 1 }, ['name           count', 'a                  7', 'a longer name   1000']],
  [{ maxWidth: 4 }, ['name  count', 'a     7', 'a longer name  1000']],
])('a table has equal columns, with the options %j', (options, lines) => {
  expect(tableLines(rows, options)).toEqual(lines)
})

test('a table without rows, or with empty rows, has no columns', () => {
  expect(tableLines([])).toEqual([])
  expect(tableLines([[], []])).toEqual(['', ''])
})

test('a table is cut at the width of a terminal, and whole elsewhere', () => {
  expect(tableText([['abcdef', 'ghi']], 8)).toBe('abcdef …\n')
  expect(tableText([['abcdef', 'ghi']])).toBe('abcdef  ghi\n')
})
