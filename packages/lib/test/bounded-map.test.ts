import { expect, test } from 'bun:test'
import { BoundedMap } from '../src/bounded-map.ts'

test('forgets the oldest entry beyond its number; what is set again is the newest', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
