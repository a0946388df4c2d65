import { expect, test } from 'bun:test'
import { isFalling, isReversible, oppositesOf, unspacedOpposites } from '../../src/language/opposites.ts'

const pairOf = (word: string) => oppositesOf(word)[0]?.pair ?? -1

test.each([
  ['rose', 'fell'],
  ['gestiegen', 'gesunken'],
  ['won', 'lost'],
  ['bought', 'sold'],
  ['majority', 'minority'],
])('%s and %s are the sides of one pair', (one, other) => {
  expect(oppositesOf(one)).toContainEqual({ pair: pairOf(one), side: 0 })
  expect(oppositesOf(other)).toContainEqual({ pair: pairOf(one), side: 1 })
})

test('a word on the sides of several pairs has all of them', () => {
  expect(oppositesOf('lost').map(({ pair }) => pair)).toEqual([0, pairOf('won')])
})

test('another form has the sides of its stem, unless that is short', () => {
  expect(oppositesOf('climbing')).toEqual([{ pair: 0, side: 0 }])
  expect(oppositesOf('jumping')).toEqual([])
  expect(oppositesOf('seal')).toEqual([])
})

test('words of scripts without spaces are looked for within a text', () => {
  expect([unspacedOpposites.get('增长'), unspacedOpposites.get('감소')]).toEqual([
    [{ pair: 0, side: 0 }],
    [{ pair: 0, side: 1 }],
  ])
  expect(unspacedOpposites.get('延長')).toHaveLength(1)
  expect(oppositesOf('增长')).toEqual([])
  expect([...unspacedOpposites.keys()]).not.toContain('rose')
})

test('what was won and what was bought says the same with its names in the other order, and nothing else does', () => {
  const words = ['won', 'bought', 'rose', 'more', 'profit', 'majority']
  expect(words.map((word) => isReversible(pairOf(word)))).toEqual([true, true, false, false, false, false])
  expect([oppositesOf('~'), oppositesOf('')]).toEqual([[], []])
})

test('a loss is a fall, a smaller number is none', () => {
  const words = ['fell', 'loss', 'lost', 'rose', 'profit', 'less', 'seal']
  expect(words.map(isFalling)).toEqual([true, true, true, false, false, false, false])
})
