import { expect, test } from 'bun:test'
import { excludeHints, filterHints } from '../../../../src/executor/answer/prompt/filter-hints.ts'
import { isSuffix } from '../../../../src/executor/answer/prompt/site-filters.ts'

test('of many known pages the twenty latest are named, but none whose address is very long', () => {
  const exclude = Array.from({ length: 30 }, (_, index) => `https://a.example/${index}`)
  const [hint = ''] = excludeHints([...exclude, `https://a.example/${'x'.repeat(300)}`])
  expect([...hint.matchAll(/https:\S+/g)].map(String)).toEqual(exclude.slice(10))
})

test('without known pages nothing is said of them', () => {
  expect([...excludeHints(), ...excludeHints([])]).toEqual([])
})

test.each([
  ['de', true],
  ['co.uk', true],
  ['gov', true],
  ['xn--p1ai', true],
  ['example.de', false],
  ['bbc.co.uk', false],
  ['x.ai', false],
])('%s is the end of many domains: %p', (domain, expected) => {
  expect(isSuffix(domain)).toBe(expected)
})

test('each level of safe search asks for something else, and none without it', () => {
  const [off, moderate, strict] = (['off', 'moderate', 'strict'] as const).map((safeSearch) =>
    filterHints({ safeSearch }, new Date()).join('\n'),
  )
  expect(off).toBe('')
  expect(moderate).not.toBe('')
  expect(strict).not.toBe('')
  expect(strict).not.toBe(moderate)
})
