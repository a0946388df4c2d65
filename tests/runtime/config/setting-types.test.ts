import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import {
  choices,
  duration,
  durationText,
  integer,
  languageCode,
  list,
  modelMap,
  pace,
  percent,
  secret,
  switchFrom,
  text,
} from '../../../src/runtime/config/setting-types.ts'

test('a time is shown in one unit, and read as what it is', () => {
  fc.assert(
    fc.property(fc.constantFrom(86_400, 3600, 60, 1, 0.25), fc.nat(100), (unit, count) => {
      const text = durationText(unit * count)
      expect(text).toMatch(/^(?:0|\d+(?:ms|[smhd]))$/)
      expect(duration(0).parse(text)).toBe(unit * count)
    }),
    { numRuns: runs(200) },
  )
})

test.each([
  [0, '0'],
  [0.5, '500ms'],
  [90, '90s'],
  [120, '2m'],
  [5400, '90m'],
  [7200, '2h'],
  [172_800, '2d'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

test.each([
  ['1h30m', 5400],
  [' 1.5 h ', 5400],
  ['2d 1s', 172_801],
  ['250ms', 0.25],
  ['7', 7],
])('%p is a time', (text, seconds) => expect(duration(0).parse(text)).toBe(seconds))

test.each(['1y', 'h', '1h30', '-1s', '', '1e3'])('%p is no time', (text) => {
  expect(duration(0).safeParse(text).success).toBe(false)
})

const read =
  (type: { safeParse(value: unknown): { data?: unknown; error?: { issues: { message: string }[] } } }) =>
  (value: unknown) => {
    const { data, error } = type.safeParse(value)
    return error ? error.issues[0]?.message : data
  }

test.each([
  ['20%', 20],
  [' 20 % ', 20],
  ['20', 20],
  [20, 20],
  ['90', 90],
  [0, 0],
  ['90.5%', undefined],
  [-1, undefined],
  ['much', undefined],
  [true, undefined],
])('the part %p is %p', (value, expected) => {
  expect(read(percent(90))(value)).toBe((expected ?? 'must be a part such as 20%, of 90% or less') as never)
})

test.each([
  ['3', 3],
  [' 5 ', 5],
  [5, 5],
  ['2', undefined],
  ['6', undefined],
  [4.5, undefined],
  ['-3', undefined],
  ['4e0', undefined],
  [null, undefined],
])('of the whole numbers from 3 to 5, %p is %p', (value, expected) => {
  expect(read(integer(3, 5))(value)).toBe((expected ?? 'must be a whole number from 3 to 5') as never)
})

test.each([
  ['2/1', '2/1'],
  ['1000/1', '1000/1'],
  ['0.5', 0.5],
  [0, 0],
  [1000, 1000],
  [1001, undefined],
  ['1001/1', undefined],
  ['1/0', undefined],
  ['1/', undefined],
  [-1, undefined],
])('the pace %p is %p', (value, expected) => {
  const error = 'must be a number from 0 to 1000, or with the most at once: 2/1'
  expect(read(pace(1000))(value)).toBe((expected ?? error) as never)
})

test('a time has a least one only where it is said', () => {
  expect(read(duration(0))('x')).toBe('must be a time such as 90, 90s, 2m or 1h')
  expect(read(duration(0))(-1)).toBe('must be a time such as 90, 90s, 2m or 1h')
  expect([read(duration(5))(5), read(duration(5))('4s')]).toEqual([
    ...[5, 'must be a time such as 90, 90s, 2m or 1h, of 5 s or more'],
  ])
  expect(durationText(0.0001)).toBe('0.0001')
})

test('a text, a key and a language have no spaces around them', () => {
  expect([read(text('a name'))(' a b '), read(text('a name'))(' ')]).toEqual(['a b', 'must be a name'])
  expect([read(secret())(' k\n'), read(secret())('k k')]).toEqual(['k', 'must be a key without spaces'])
  expect(['PT-br ', 'e', 'en_GB', 3].map(read(languageCode()))).toEqual([
    ...['pt-br', 'must be a language code such as en or pt-br', 'must be a language code such as en or pt-br'],
    'must be a language',
  ])
})

test('a list has commas between its items, or is one of JSON', () => {
  const items = read(list('words', /^\w+$/, 1))
  expect([items(' a, b,,'), items(['a', 'b'])]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
  for (const wrong of ['', ' , ', [], 'a b', ['a', 3], 3]) expect(items(wrong)).toBe('must be words')
  const some = read(choices(['a', 'b']))
  expect([some('b,a'), some(['a'])]).toEqual([['b', 'a'], ['a']])
  for (const wrong of ['', 'a,a', 'c', [], 3]) {
    expect(some(wrong)).toBe('must be some of a, b, each once, with commas between them')
  }
})

test('a switch is what its word means', () => {
  const words = ['true', 'YES', 'on', '1', 'False', 'no', 'off', '0', 'maybe', 3, true]
  expect(words.map(switchFrom)).toEqual([true, true, true, true, false, false, false, false, 'maybe', 3, true])
})

test('a model that stands for plain text makes no research', () => {
  const models = read(modelMap())
  const right = { a: { effort: 'deep', research: 'low' }, b: { effort: 'text' }, c: { effort: 'fast', model: 'haiku' } }
  expect(models(right)).toEqual(right)
  expect(models({ a: { effort: 'text', research: 'low' } })).toBe('research needs an effort that searches')
  expect(models({ a: { effort: 'fast', model: '' } })).toBeString()
  expect(models(3)).toBe('must map names to objects such as {"effort": "fast", "model": "haiku"}')
})
