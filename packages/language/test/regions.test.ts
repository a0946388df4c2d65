import { expect, test } from 'bun:test'
import { regionNames } from '../src/regions.ts'

test.each([
  ['de', 'osterreich'],
  ['ru', 'узбекистан'],
  ['zh', '匈牙利'],
  ['ko', '헝가리'],
  ['ar', 'هنغاريا'],
])('%s has the country %s', (language, name) => {
  expect(regionNames(language).has(name)).toBe(true)
})

test('a language that nobody knows has none, and no name has several words', () => {
  expect(regionNames('xx-nothing').size).toBe(0)
  expect([...regionNames('en')].filter((name) => name.includes(' '))).toEqual([])
})
