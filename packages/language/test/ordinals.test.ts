import { expect, test } from 'bun:test'
import { ordinalValue } from '../src/ordinals.ts'

test.each([
  ['en', 'third', 3],
  ['de', 'vierten', 4],
  ['fr', 'premiere', 1],
  ['ru', 'второго', 2],
  ['ar', 'الثالثة', 3],
])('%s: %s is %i', (language, word, value) => {
  expect(ordinalValue(word, language)).toBe(value)
})

test.each([
  ['en', 'thirds'],
  ['de', 'achtung'],
  ['de', 'acht'],
  ['xx', 'third'],
])('%s: %s is none', (language, word) => {
  expect(ordinalValue(word, language)).toBeUndefined()
})
