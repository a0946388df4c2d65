import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { addressesIn } from '../src/addresses.ts'
import { fromHex, randomId, readLimited, sha256, toHex } from '../src/bytes.ts'
import { hostOfEntry, mayVisit } from '../src/domain-lists.ts'
import { crashReport, diskReason, errorCode, messageOf } from '../src/errors.ts'
import { eventReader, eventText } from '../src/event-stream.ts'
import { isObject, parseJson, parseObject } from '../src/json.ts'
import { LineCutter } from '../src/lines.ts'
import { once } from '../src/once.ts'
import { retryAfter, wholeSeconds } from '../src/retry-after.ts'
import { cleanText, cutAtWord, oneLine } from '../src/text.ts'
import { toldCount } from '../src/told-count.ts'
import { TurnClock } from '../src/turn-clock.ts'

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
  expect(randomId()).toMatch(/^[0-9a-f]{32}$/)
  expect(randomId()).not.toBe(randomId())
})

test('a digest is the same where the runtime has no quick one, as on the edge, and of text that is no UTF-16', async () => {
  const known = {
    abc: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    '': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'Bienen \u{1f41d}, \ud800 alone': '',
  }
  const bytes = join(import.meta.dir, '../src/bytes.ts')
  const script = `delete process.getBuiltinModule; const { sha256 } = await import(${JSON.stringify(bytes)});
    console.log(JSON.stringify(await Promise.all(${JSON.stringify(Object.keys(known))}.map(sha256))))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const there = JSON.parse(await new Response(child.stdout).text())
  const here = await Promise.all(Object.keys(known).map(sha256))
  expect(here).toEqual(there)
  expect(here.slice(0, 2)).toEqual(Object.values(known).slice(0, 2))
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

/** A text in chunks of one byte each. */
const bytewise = (text: string) => Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte))

describe('text that comes byte by byte', () => {
  test('is the body of a reply, up to a limit beyond which nothing is read', async () => {
    let cancelled = 0
    const reply = (text: string) => {
      const chunks = bytewise(text)
      const pull = (controller: ReadableStreamDefaultController) => {
        const chunk = chunks.shift()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      }
      return new Response(new ReadableStream({ pull, cancel: () => void cancelled++ }))
    }
    expect([await readLimited(reply('é🐝'), 6), cancelled]).toEqual(['é🐝', 0])
    expect([await readLimited(reply('é🐝'), 5), cancelled]).toEqual([undefined, 1])
    expect(await readLimited(new Response(null), 0)).toBe('')
  })

  test('is events', () => {
    const read = eventReader(30)
    const sent = eventText({ event: 'a', data: 'é🐝\nb' }) + eventText({ data: 'c' })
    expect(sent).toBe('event: a\ndata: é🐝\ndata: b\n\ndata: c\n\n')
    expect(bytewise(sent).flatMap((chunk) => read(chunk))).toEqual(['é🐝\nb', 'c'])
    expect(() => read(new TextEncoder().encode('x'.repeat(30)))).not.toThrow()
    expect(() => read(new TextEncoder().encode('x'))).toThrow('More than 30 characters without an event.')
  })

  test('is lines, until one is too long', () => {
    const lines = new LineCutter(3)
    expect(bytewise('é🐝\n\nabc\n').flatMap((chunk) => [...lines.take(chunk)])).toEqual(['é🐝', '', 'abc'])
    expect([[...lines.take(new TextEncoder().encode('a\nabcd\nb\n'))], lines.isOverlong]).toEqual([['a'], true])
    expect([...lines.take(new TextEncoder().encode('c\n'))]).toEqual([])
    const begun = new LineCutter(3)
    const isOverlong = (text: string) => {
      expect([...begun.take(new TextEncoder().encode(text))]).toEqual([])
      return begun.isOverlong
    }
    expect([isOverlong('ab'), isOverlong('c'), isOverlong('d')]).toEqual([false, false, true])
  })
})

test('the reasons of a disk are words where there are some', () => {
  expect(['ENOSPC', 'EIO', undefined].map(diskReason)).toEqual(['the disk is full', 'EIO', 'undefined'])
  expect(crashReport(Object.assign(new Error('x'), { code: 5 }))).toMatch(/^Error at /)
  const deep = (left: number): Error =>
    left > 0 ? deep(left - 1) : Object.assign(new Error('x'), { stack: `Error: x${'\n at f (/f:1:1)'.repeat(12)}` })
  expect(crashReport(deep(0))).toBe(`Error${' at f (/f:1:1)'.repeat(10)}`)
})

test('a time to wait is at most a year, and a second at least', () => {
  expect([0, 0.2, 1.2, 31_535_999, 31_536_000, Number.NaN].map(wholeSeconds)).toEqual([
    1,
    1,
    2,
    31_535_999,
    undefined,
    undefined,
  ])
  const now = new Date('2026-05-04T10:00:00Z')
  const after = (text?: string) => retryAfter(new Headers(text === undefined ? {} : { 'retry-after': text }), now)
  expect([after(), after(''), after('2.5'), after('Mon, 04 May 2026 10:01:00 GMT'), after('soon')]).toEqual([
    undefined,
    undefined,
    3,
    60,
    undefined,
  ])
})

test('texts lose what is not seen around and in them', () => {
  expect(oneLine(' a\n b ')).toBe('a b')
  expect([cleanText('a\r\nb\tc\u0007'), cleanText('a\r\nb\tc\u0007', true)]).toEqual(['a  b c ', 'a\nb\tc '])
  expect([cutAtWord('a b', 3), cutAtWord('ab cd', 3), cutAtWord(' abcd', 3), cutAtWord('abcd', 3)]).toEqual([
    'a b',
    'ab',
    ' ab',
    'abc',
  ])
})

test('a loop lets others have a turn once in 8 ms', async () => {
  let ms = 1000
  const now = spyOn(performance, 'now').mockImplementation(() => ms)
  try {
    const clock = new TurnClock()
    ms = 1007
    expect(clock.rest()).toBeUndefined()
    ms = 1008
    await clock.rest()
    ms = 1015
    expect(clock.rest()).toBeUndefined()
    ms = 1016
    expect(clock.rest()).toBeInstanceOf(Promise)
  } finally {
    now.mockRestore()
  }
})
