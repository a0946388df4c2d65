import { describe, expect, test } from 'bun:test'
import { StopSequences } from '@csp/lib/stop-sequences'
import { foldMessage } from '@csp/messages-api/fold'
import { eventually } from '@csp/testing/eventually'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { chatUpstream } from '../../../src/chat-completions/chat-completions.ts'
import { chunk, openAiError, serveProvider, toolChunk } from '../../support/strict-provider.ts'

test('A text ends at the first of its stop sequences, however it is cut', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength })
  fc.assert(
    fc.property(fc.array(letters(4), { maxLength: 8 }), fc.array(letters(3), { maxLength: 3 }), (pieces, stops) => {
      const watch = new StopSequences(stops)
      const sent = pieces.map((piece) => watch.push(piece)).join('') + watch.end()
      const text = pieces.join('')
      const places = stops.filter((stop) => stop !== '').map((stop) => text.indexOf(stop))
      const found = places.filter((place) => place >= 0)
      if (watch.found === undefined) expect({ sent, found }).toEqual({ sent: text, found: [] })
      else {
        expect(text.startsWith(sent + watch.found)).toBe(true)
        expect(stops.some((stop) => stop !== '' && sent.includes(stop))).toBe(false)
      }
    }),
    { numRuns: runs(1000) },
  )
})

const request = { model: 'm', stop_sequences: ['END'], messages: [{ role: 'user' as const, content: 'hi' }] }

describe('A stop sequence that a model refuses', () => {
  const refuse = (body: Record<string, unknown>) =>
    'stop' in body
      ? openAiError(400, "Unsupported parameter: 'stop' is not supported with this model.", { param: 'stop' })
      : undefined
  const send = (url: string) =>
    chatUpstream({ name: 'x', baseUrl: url, kind: 'other' }).send(request, { signal: new AbortController().signal })

  test("ends the reply all the same, and the provider's call with it", async () => {
    const pieces = [chunk({ content: 'one E' }), chunk({ content: 'ND two' }), 'hang' as const]
    await using server = serveProvider({ refuse, reply: () => pieces })
    const message = await foldMessage(send(server.url))
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'one ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    })
    await eventually(() => server.running() === 0)
  })

  test('loses nothing of a text that only began like it', async () => {
    const pieces = [
      chunk({ content: 'one EN' }),
      toolChunk(0, { id: 'a', name: 'f', json: '{}' }),
      chunk({ content: 'E' }),
      chunk({}, 'stop'),
    ]
    await using server = serveProvider({ refuse, reply: () => pieces })
    const { content } = await foldMessage(send(server.url))
    expect(content).toMatchObject([{ text: 'one EN' }, { name: 'f' }, { text: 'E' }])
  })
})

test('Of five stop sequences OpenAI gets four, and the fifth ends the reply here', async () => {
  await using server = serveProvider({ reply: () => [chunk({ content: 'a five b' }), chunk({}, 'stop')] })
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'openai' })
  const many = { ...request, stop_sequences: ['one', 'two', 'three', 'four', 'five'] }
  const message = await foldMessage(upstream.send(many, { signal: new AbortController().signal }))
  expect(server.bodies[0]?.stop).toEqual(['one', 'two', 'three', 'four'])
  expect(message).toMatchObject({ content: [{ text: 'a ' }], stop_sequence: 'five' })
})
