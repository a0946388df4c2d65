import { describe, expect, test } from 'bun:test'
import { anyText } from '@csp/testing/any-text'
import { runs } from '@csp/testing/runs'
import { assembleWithSdk } from '@csp/testing/sdk-message'
import fc from 'fast-check'
import type { Message, MessagesEvent } from '../src/events.ts'
import { foldMessage } from '../src/fold.ts'
import { eventsOf } from '../src/unfold.ts'

const blocks = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text: anyText() }),
    fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string({ minLength: 1 }) }),
    fc.record({
      type: fc.constant('tool_use'),
      id: fc.string(),
      name: fc.string(),
      input: fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.jsonValue({ noUnicodeString: false })),
    }),
  ),
  { maxLength: 5 },
)

describe('the fold of a stream', () => {
  test("is the message that was streamed, and the one that the vendor's client assembles", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async (content) => {
        const usage = { input_tokens: 10, output_tokens: 7 }
        const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' } as const
        const whole: Message = { ...head, content, stop_reason: 'end_turn', stop_sequence: null, usage }
        const events = [...eventsOf(whole)].flatMap(inPieces)
        const message = await foldMessage(each(events))
        const plain = JSON.parse(JSON.stringify(message))
        expect(plain.content).toEqual(JSON.parse(JSON.stringify(content)))
        expect(await assembleWithSdk(events)).toMatchObject(plain)
      }),
      { numRuns: runs(50) },
    )
  })

  test('gathers citations, and keeps blocks and fields that it does not know', async () => {
    const citation = { type: 'web_search_result_location', url: 'https://a.example/' }
    const message = await foldMessage(
      each([
        ...start(),
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: [] } },
        { type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_start', index: 1, content_block: { type: 'new_block', data: { x: 1 } } },
        { type: 'content_block_stop', index: 1 },
        ...end({ container: { id: 'c' } }),
      ]),
    )
    expect(message.content).toEqual([
      { type: 'text', text: 'a', citations: [citation] },
      { type: 'new_block', data: { x: 1 } },
    ])
    expect(message['container']).toEqual({ id: 'c' })
  })

  test('replaces the counters that the end of the message names, and keeps the others', async () => {
    const { usage } = await foldMessage(each([...start(), ...end()]))
    expect(usage).toEqual({ input_tokens: 12, cache_read_input_tokens: 3, output_tokens: 7 })
  })

  test.each(['{"a":', '[1]', '5', 'null'])('gives an empty object for the input %s', async (json) => {
    const message = await foldMessage(
      each([
        ...start(),
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
        { type: 'content_block_stop', index: 0 },
        ...end(),
      ]),
    )
    expect(message.content).toEqual([{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
  })

  test('fails for a stream without an end', async () => {
    await expect(foldMessage(each(start()))).rejects.toMatchObject({ status: 502, type: 'api_error' })
    await expect(foldMessage(each([]))).rejects.toMatchObject({ status: 502 })
  })
})

/** A delta of text in several, as a stream has it. */
function inPieces(event: MessagesEvent): readonly MessagesEvent[] {
  if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return [event]
  const pieces = event.delta.text.match(/[\s\S]{1,5}/gu) ?? []
  return pieces.map((text) => ({ ...event, delta: { type: 'text_delta', text } }))
}

function start(): MessagesEvent[] {
  const usage = { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 }
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] } as const
  const message: Message = { ...head, stop_reason: null, stop_sequence: null, usage }
  return [{ type: 'message_start', message }]
}

function end(more: object = {}): MessagesEvent[] {
  const usage = { input_tokens: 12, cache_read_input_tokens: null, output_tokens: 7 }
  return [
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null, ...more }, usage },
    { type: 'message_stop' },
  ]
}

async function* each(events: Iterable<MessagesEvent>): AsyncGenerator<MessagesEvent> {
  yield* events
}
