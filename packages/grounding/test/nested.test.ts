import { expect, test } from 'bun:test'
import { nestedMarkdown } from '@csp/testing/nested-markdown'
import { liveMarkup, liveWhileWritten } from '@csp/testing/rendered'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { Grounding } from '../src/grounding.ts'

const sources = [
  { url: 'https://www.example.com/a/', title: 'First page' },
  { url: 'https://en.example/wiki/Foo_(bar)', title: 'Foo bar' },
]

/** What a client has after each piece, whole at the end. */
function written(pieces: readonly string[]): readonly string[] {
  const grounding = new Grounding()
  grounding.addSources(sources)
  let text = ''
  const texts = pieces.map((piece) => {
    for (const part of grounding.push(piece)) if (part.type === 'text-delta') text += part.text
    return text
  })
  for (const part of grounding.end()) if (part.type === 'text-delta') text += part.text
  return [...texts, text]
}

const ground = (text: string) => written([text]).at(-1) ?? ''

/** An answer as dialects and clients show it: with its markers, and without them and the spaces before them. */
function shown(text: string): ReadonlySet<string> {
  return new Set([text, text.replace(/\[\d+\]/g, ''), text.replace(/[ \t]*\[\d+\]/g, '')])
}

function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
}

const cuts = (maxLength: number) => fc.array(fc.nat(700), { maxLength })

test('nothing of a nested text is live, with its markers or without', () => {
  fc.assert(
    fc.property(nestedMarkdown, (text) => {
      for (const one of shown(ground(text))) expect(liveMarkup(one)).toEqual([])
    }),
    { numRuns: runs(600) },
  )
})

test('nothing is live of what a stream has sent so far', () => {
  fc.assert(
    fc.property(nestedMarkdown, cuts(3), (text, places) => {
      const sent = new Set(written(piecesOf(text, places)).slice(0, -1))
      for (const one of sent) for (const seen of shown(one)) expect(liveWhileWritten(seen)).toEqual([])
    }),
    { numRuns: runs(300) },
  )
})

test('how a nested text is cut changes nothing', () => {
  fc.assert(
    fc.property(nestedMarkdown, cuts(9), (text, places) => {
      const whole = ground(text)
      expect(written([...text]).at(-1)).toBe(whole)
      expect(written(piecesOf(text, places)).at(-1)).toBe(whole)
    }),
    { numRuns: runs(800) },
  )
})
