import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addressesIn } from '../../src/lib/addresses.ts'
import { fromHex, randomId, sha256, toHex } from '../../src/lib/bytes.ts'
import { hostOfEntry, mayVisit } from '../../src/lib/domain-lists.ts'
import { crashReport, errorCode, messageOf } from '../../src/lib/errors.ts'
import { isObject, parseJson, parseObject } from '../../src/lib/json.ts'
import { once } from '../../src/lib/once.ts'
import { toldCount } from '../../src/lib/told-count.ts'
import { runs } from '../support/runs.ts'

describe('lists of sites', () => {
  const may = (url: string, lists: Parameters<typeof mayVisit>[1]) => mayVisit(new URL(url), lists)

  test.each([
    ['https://example.com/', 'example.com', true],
    ['https://www.example.com:8080/x', 'example.com', true],
    ['https://example.com./x', 'EXAMPLE.com', true],
    ['https://badexample.com/', 'example.com', false],
    ['https://example.com.evil.example/', 'example.com', false],
    ['https://a.example.com/', '*.example.com', true],
    ['https://example.com/docs', 'https://example.com/docs', true],
    ['https://example.com/docs/a', 'example.com/docs', true],
    ['https://example.com/docs/a', 'example.com/docs/', true],
    ['https://example.com/docsy', 'example.com/docs', false],
    ['https://example.com/', 'example.com/docs', false],
    ['https://example.com/', '', false],
  ])('%s is below %s: %p', (url, entry, isBelow) => {
    expect(may(url, { allowed: [entry] })).toBe(isBelow)
    expect(may(url, { blocked: [entry] })).toBe(!isBelow)
    expect(may(url, { allowed: ['other.example', entry], blocked: [] })).toBe(isBelow)
    expect(may(url, { allowed: [entry], blocked: [entry] })).toBe(false)
  })

  test('that are empty are none, and a host is as addresses have it', () => {
    expect([may('https://a.example/', {}), may('https://a.example/', { allowed: [], blocked: [] })]).toEqual([
      true,
      true,
    ])
    expect([' *.BÜCHER.example./x', '//a.b', '']).toHaveLength(3)
    expect(hostOfEntry(' *.Bücher.example./x')).toBe('xn--bcher-kva.example')
    expect(hostOfEntry('//a.example')).toBe('a.example')
  })
})

describe('the addresses in a text', () => {
  test('are without the marks around them', () => {
    const before = fc.constantFrom('', '(', '[a](', '“', '<', '\n', '**')
    const after = fc.constantFrom('', ')', ').', ',', '?', '>', '"', ' ', '**', '!]', '}.')
    const url = fc.constantFrom(
      'https://a.example/x',
      'http://b.example/y_(z)?q=1',
      'https://c.example/[d]',
      'HTTPS://e.example',
    )
    fc.assert(
      fc.property(before, url, after, (left, address, right) => {
        expect(addressesIn(`see ${left}${address}${right} and ${address}`)).toEqual([address])
      }),
      { numRuns: runs(200) },
    )
  })

  test('are none without a host or a scheme', () =>
    expect(addressesIn('www.a.example, xhttps://a.b, https://. x')).toEqual([]))
})

test('bytes and hexadecimal digits are each other', async () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(fromHex(toHex(bytes))).toEqual(new Uint8Array(bytes))
      expect(toHex(bytes)).toMatch(/^(?:[0-9a-f]{2})*$/)
    }),
    { numRuns: runs(100) },
  )
  expect(await sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(randomId()).toMatch(/^[0-9a-f]{32}$/)
  expect(randomId()).not.toBe(randomId())
})

test('a count that a server tells is whole, and not more than anybody believes', () => {
  expect([0, 1.4, 1.5, 1e9].map((count) => toldCount.parse(count))).toEqual([0, 1, 2, 1e9])
  for (const none of [-1, 1e9 + 1, '5', Number.NaN, null]) expect(toldCount.safeParse(none).success).toBe(false)
})

test('JSON that is none is nothing, and an object is no list', () => {
  expect([parseJson('{'), parseJson('[1]')]).toEqual([undefined, [1]])
  expect([isObject({}), isObject([]), isObject(null), isObject('{}')]).toEqual([true, false, false, false])
  expect([parseObject('{"a":1}'), parseObject('[1]'), parseObject('x')]).toEqual([{ a: 1 }, {}, {}])
})

test('what is made once is made again after a failure alone', async () => {
  let times = 0
  const get = once(async () => {
    if (++times === 1) throw new Error('No.')
    return times
  })
  expect(await get.made()).toBeUndefined()
  expect(times).toBe(0)
  await expect(get()).rejects.toThrow('No.')
  expect(await Promise.all([get(), get(), get.made()])).toEqual([2, 2, 2])
})

describe('an error', () => {
  test('has a message and perhaps a code, whatever was thrown', () => {
    const missing = Object.assign(new Error('It is missing.'), { code: 'ENOENT' })
    expect([messageOf(missing), messageOf('text'), messageOf(7)]).toEqual(['It is missing.', 'text', '7'])
    expect([errorCode(missing), errorCode(new Error('x')), errorCode({ code: 'x' })]).toEqual([
      'ENOENT',
      undefined,
      undefined,
    ])
  })

  test('is reported by its name, its code and where it was, without its words', () => {
    const error = Object.assign(new TypeError('secret words\nat secret (/secret:1:1)'), { code: 'EIO' })
    const report = crashReport(error)
    expect(report).toMatch(/^TypeError EIO at .*:\d+:\d+/)
    expect(report).not.toContain('secret')
    expect(report).not.toContain('\n')
    expect(crashReport('secret')).toBe('string was thrown')
    const deep = (left: number): Error => (left > 0 ? deep(left - 1) : new Error('x'))
    expect((crashReport(deep(30)).match(/ at /g) ?? []).length).toBeLessThanOrEqual(10)
  })
})
