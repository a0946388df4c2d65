import { expect, test } from 'bun:test'
import { nearest } from '@csp/lib/nearest'
import { meant } from '../../../src/runtime/config/usage-error.ts'

test.each([
  // A letter that is changed, added, dropped or swapped with its neighbour is one step; a third of the name may be wrong.
  ['pord', ['port'], 'port'],
  ['por', ['port'], 'port'],
  ['portt', ['port'], 'port'],
  ['prot', ['port'], 'port'],
  ['PORT', ['port'], 'port'],
  ['port', ['Port'], 'Port'],
  ['pxxt', ['port'], undefined],
  ['xx', ['x'], 'x'],
  ['xx', [''], undefined],
  ['', ['x'], 'x'],
  ['tropno', ['port-no'], undefined],
  ['serach', ['search'], 'search'],
  ['abcdef', ['abcdxy'], 'abcdxy'],
  ['abcdef', ['abcxyz'], undefined],
  ['abcdefghi', ['abcdefxyz'], 'abcdefxyz'],
  ['ba', ['ab'], 'ab'],
  ['cab', ['abc'], undefined],
  ['dcba', ['abcd'], undefined],
  ['xab', ['ab', 'xabc', 'xaab'], 'ab'],
  ['port', ['ports', 'port', 'por'], 'port'],
  ['port', [], undefined],
] as const)('of %2$j the nearest to %1$j is %3$p', (name, known, expected) => {
  expect(nearest(name, known)).toBe(expected)
  expect(meant(name, known, 'Otherwise.')).toBe(expected === undefined ? 'Otherwise.' : `Did you mean ${expected}?`)
})
