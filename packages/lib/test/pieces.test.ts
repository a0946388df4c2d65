import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { joinBytes, readLimited } from '../src/bytes.ts'
import { eventData, eventReader, eventText } from '../src/event-stream.ts'
import { LineCutter } from '../src/lines.ts'
import { SecretFilter, withoutSecret } from '../src/secret.ts'
import { beginningAtEnd, StopSequences } from '../src/stop-sequences.ts'
import { CleanText, cleanWritten, InertText } from '../src/text.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** A text of these parts, cut at any places. */
function cut(...parts: readonly string[]) {
  const part = fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 }))
  return fc.tuple(
    fc.array(part, { maxLength: 12 }).map((all) => all.join('')),
    fc.array(fc.nat(60), { maxLength: 5 }),
  )
}

function piecesOf<Value extends { readonly length: number; slice(from: number, to: number): Value }>(
  whole: Value,
  places: readonly number[],
): readonly Value[] {
  const ends = [...places, whole.length].map((place) => Math.min(place, whole.length)).toSorted((a, b) => a - b)
  return ends.map((end, at) => whole.slice(ends[at - 1] ?? 0, end))
}

describe('a secret', () => {
  const secret = 'aaab-aaac-aaab'

  test('is taken out of bytes wherever they are cut, and nothing else', () => {
    fc.assert(
      fc.property(cut(secret, 'aaab-', 'a', '-aaac', '😀'), ([text, places]) => {
        const filter = new SecretFilter(secret)
        const passed = piecesOf(encode(text), places).map((piece) => filter.push(piece))
        expect(decode(joinBytes([...passed, filter.rest()]))).toBe(text.replaceAll(secret, '[key]'))
        expect(filter.rest()).toHaveLength(0)
      }),
      { numRuns: runs(300) },
    )
  })

  test.each([
    [[secret], ['[key]'], ''],
    [[`x ${secret} y ${secret}${secret}.`], ['x [key] y [key][key].'], ''],
    [['xaaab-', 'aaac-aaab!'], ['x', '[key]!'], ''],
    [['aaab-aaac-aaa', 'x'], ['', 'aaab-aaac-aaax'], ''],
    // Its end is the beginning of another one.
    [[`${secret}-aaac-aaab`, '-aaac'], ['[key]-aaac-', ''], 'aaab-aaac'],
    [[`aa${secret}`, 'aa'], ['aa[key]', ''], 'aa'],
  ])('leaves of %j as it comes: %j', (pieces, passed, rest) => {
    const filter = new SecretFilter(secret)
    expect(pieces.map((piece) => decode(filter.push(encode(piece))))).toEqual(passed)
    expect([decode(filter.rest()), decode(filter.rest())]).toEqual([rest, ''])
  })

  test('that is short is one that a model may write', () => {
    for (const short of [undefined, '', 'ollama', 'x'.repeat(11)]) {
      const bytes = encode(`say ${short}`)
      expect(new SecretFilter(short).push(bytes)).toBe(bytes)
    }
    const filter = new SecretFilter('x'.repeat(12))
    expect(decode(filter.push(encode(`say ${'x'.repeat(12)}.`)))).toBe('say [key].')
  })

  test('is taken out of a whole text however short it is', () => {
    expect(withoutSecret('no key, no k', 'k')).toBe('no [key]ey, no [key]')
    for (const none of [undefined, '']) expect(withoutSecret('as it is', none)).toBe('as it is')
  })
})

describe('lines', () => {
  test('are the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(cut('\n', 'a', '\n\n', 'ü', '😀\n'), ([text, places]) => {
        const cutter = new LineCutter(1000)
        const lines = piecesOf(encode(text), places).flatMap((piece) => [...cutter.take(piece)])
        expect(lines).toEqual(text.split('\n').slice(0, -1))
      }),
      { numRuns: runs(300) },
    )
  })

  test.each([[['a\nabcdef\nb\n']], [['a\nabcde', 'f', '\nb\n']], [['a\n', 'abcdef\n', 'b\n']]])(
    'are none from one on that is too long, in whatever pieces it comes: %j',
    (pieces) => {
      const cutter = new LineCutter(5)
      expect(pieces.flatMap((piece) => [...cutter.take(encode(piece))])).toEqual(['a'])
      expect(cutter.isOverlong).toBe(true)
      const whole = new LineCutter(6)
      expect(pieces.flatMap((piece) => [...whole.take(encode(piece))])).toEqual(['a', 'abcdef', 'b'])
      expect(whole.isOverlong).toBe(false)
    },
  )
})

describe('events', () => {
  test('are read as they were written, wherever the bytes are cut', async () => {
    const data = fc.stringMatching(/^[^\r\n]*(\n[^\r\n]*)*$/)
    const all = fc.array(fc.record({ data, event: fc.option(fc.constant('delta'), { nil: undefined }) }), {
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(all, fc.array(fc.nat(100)), async (events, places) => {
        const written = events.map(({ data, event }) => ({ data: data.toWellFormed(), event }))
        const bytes = encode(written.map(eventText).join(''))
        const read = await Array.fromAsync(eventData(streamOf(piecesOf(bytes, places)), 1000))
        expect(read).toEqual(written.map(({ data }) => data))
      }),
      { numRuns: runs(200) },
    )
  })

  test('of which one does not end are given up, and any event or comment begins anew', () => {
    const read = eventReader(20)
    for (let at = 0; at < 5; at++) expect(read(encode('data: abcdefg\n\n'))).toEqual(['abcdefg'])
    for (let at = 0; at < 5; at++) expect(read(encode(': still here\n'))).toEqual([])
    read(encode('data: 1234567890'))
    expect(() => read(encode('12345678901'))).toThrow(RangeError)
    expect(() => eventReader(20)(encode('x'.repeat(21)))).toThrow(RangeError)
    expect(eventReader(20)(encode('x'.repeat(20)))).toEqual([])
  })
})

describe('a stop sequence', () => {
  test('ends a text at the first that is whole, wherever the text is cut', () => {
    const sequences = ['aab', 'ab', 'b-']
    const firstIn = (text: string) => {
      for (let end = 1; end <= text.length; end++) {
        const found = sequences.find((sequence) => text.slice(0, end).endsWith(sequence))
        if (found) return { found, text: text.slice(0, end - found.length) }
      }
      return { found: undefined, text }
    }
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', '-', 'x')), fc.array(fc.nat(12)), (letters, places) => {
        const text = letters.join('')
        const stops = new StopSequences(['', ...sequences])
        const passed = piecesOf(text, places).map((piece) => stops.push(piece))
        const rest = stops.end()
        const first = firstIn(text)
        expect({ found: stops.found, text: passed.join('') + rest }).toEqual(first)
        expect(stops.end()).toBe('')
        if (first.found !== undefined) expect(stops.push('more')).toBe('')
      }),
      { numRuns: runs(300) },
    )
  })

  test.each([
    [['ab', 'x'], ['', ''], '', 'ab'],
    [['xab-'], ['x'], '', 'ab'],
    [['xaab'], ['x'], '', 'aab'],
    [['xaa', 'b'], ['x', ''], '', 'aab'],
    [['xaa', 'a', 'x'], ['x', 'a', 'aax'], '', undefined],
    [['xb', '-'], ['x', ''], '', 'b-'],
    [['b', 'ab'], ['', 'b'], '', 'ab'],
    [['xaa'], ['x'], 'aa', undefined],
    [['x-'], ['x-'], '', undefined],
  ])('leaves of %j as it comes: %j', (pieces, passed, rest, found) => {
    const stops = new StopSequences(['', 'aab', 'ab', 'b-'])
    expect(pieces.map((piece) => stops.push(piece))).toEqual(passed)
    expect([stops.end(), stops.end(), stops.found]).toEqual([rest, '', found])
  })

  test('may have begun at the end of a text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab]{0,8}$/), fc.stringMatching(/^[ab]{1,5}$/), (text, sequence) => {
        const lengths = Array.from({ length: sequence.length }, (_, length) => length)
        const longest = lengths.findLast((length) => text.endsWith(sequence.slice(0, length)))
        expect(beginningAtEnd(text, sequence)).toBe(longest ?? 0)
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('a text that streams', () => {
  const parts = [
    '\u200b',
    '\u200d',
    '\u202e',
    '\ufe0f',
    '😀',
    '漢',
    'a',
    '\u00ad',
    '\x1b[1m',
    '\u{e0041}',
    '1\ufe0f\u20e3',
  ] as const

  test('is cleaned the same wherever it is cut, and once', () => {
    fc.assert(
      fc.property(cut(...parts), ([text, places]) => {
        const clean = new CleanText()
        const streamed = piecesOf(text, places).map((piece) => clean.push(piece))
        const whole = cleanWritten(text)
        expect(streamed.join('') + clean.end()).toBe(whole)
        expect(cleanWritten(whole)).toBe(whole)
      }),
      { numRuns: runs(500) },
    )
  })

  test('keeps its length where it is made inert, and has nothing that acts', () => {
    fc.assert(
      fc.property(cut(...parts), ([text, places]) => {
        const inert = new InertText()
        const streamed = piecesOf(text, places).map((piece) => inert.push(piece))
        const all = streamed.join('') + inert.end()
        expect(all).toHaveLength(text.length)
        expect(all).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u)
      }),
      { numRuns: runs(300) },
    )
  })
})

test('a reply is read up to its limit, to the byte', async () => {
  const reply = (...parts: readonly string[]) =>
    new Response(new ReadableStream({ start: (controller) => fill(controller, parts.map(encode)) }))
  expect(await readLimited(reply('a', 'ü'), 3)).toBe('aü')
  expect(await readLimited(reply('a', 'üb'), 3)).toBeUndefined()
  expect(await readLimited(new Response(null), 0)).toBe('')
})

async function* streamOf(parts: readonly Uint8Array[]) {
  yield* parts
}

function fill(controller: ReadableStreamDefaultController, parts: readonly Uint8Array[]) {
  for (const part of parts) controller.enqueue(part)
  controller.close()
}
