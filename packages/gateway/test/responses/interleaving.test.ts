import { expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import { foldMessage } from '@csp/messages-api/fold'
import { messagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { runs } from '@csp/testing/runs'
import { assembleWithSdk } from '@csp/testing/sdk-message'
import fc from 'fast-check'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { expectMessageOrder } from '../support/message-order.ts'
import { streamOf } from '../support/provider-stream.ts'
import { eventsOf, type ModelTurn, stateIn } from '../support/responses-events.ts'
import { frameOf, type Piece } from '../support/strict-provider.ts'

const word = fc.string({ minLength: 1, maxLength: 8 })
const turn: fc.Arbitrary<ModelTurn> = fc.record({
  thoughts: fc.option(fc.array(word, { maxLength: 2 }), { nil: undefined }),
  text: fc.option(word, { nil: undefined }),
  calls: fc.uniqueArray(
    fc.record({
      id: fc.stringMatching(/^[\w-]{1,8}$/),
      name: fc.constantFrom('f', 'g'),
      json: fc.constantFrom('{}', '{"a":"}"}', '{"a":[1,2]}'),
    }),
    { maxLength: 3, selector: ({ id }) => id },
  ),
})

test('Any order in which items grow, cut at any byte, is the message that a whole reply gives', async () => {
  await fc.assert(
    fc.asyncProperty(turn, fc.array(fc.nat()), fc.array(fc.nat(), { maxLength: 6 }), async (model, order, cuts) => {
      const pieces = [...eventsOf(model)].filter((piece) => typeof piece === 'object')
      const whole = await foldMessage(replyTo(Response.json(stateIn(pieces))))
      const events = await Array.fromAsync(replyTo(streamOf(shuffled(pieces, order).map(frameOf).join(''), cuts)))
      expectMessageOrder(events)
      expect(await assembleWithSdk(events)).toEqual({ ...JSON.parse(JSON.stringify(whole)), parsed_output: null })
    }),
    { numRuns: runs(200) },
  )
})

/** The same events, where those of each item keep their order. Items begin in the order of their places. */
function shuffled(pieces: readonly Exclude<Piece, string>[], order: readonly number[]): Exclude<Piece, string>[] {
  const placeOf = (piece: Exclude<Piece, string>) => Number(piece['output_index'] ?? -1)
  const begins = pieces.filter(({ type }) => type === 'response.output_item.added')
  const lanes = begins.map((begin) => pieces.filter((each) => each !== begin && placeOf(each) === placeOf(begin)))
  const mixed: Exclude<Piece, string>[] = []
  for (let turn = 0; lanes.some(({ length }) => length > 0); turn++) {
    const open = lanes.filter(({ length }) => length > 0)
    const next = open[(order[turn] ?? 0) % open.length]?.shift()
    if (next) mixed.push(next)
  }
  return [...pieces.slice(0, 2), ...begins, ...mixed, ...pieces.slice(-1)]
}

const json = fc.jsonValue({ maxDepth: 3 })
const item = fc.record(
  {
    type: fc.constantFrom('message', 'reasoning', 'function_call', 'web_search_call', 5),
    id: json,
    call_id: fc.oneof(fc.constantFrom('a', 'b', ''), json),
    name: fc.oneof(fc.constantFrom('f', ''), json),
    arguments: fc.oneof(fc.constantFrom('{', '{}'), json),
    content: fc.oneof(fc.array(fc.record({ type: json, text: fc.oneof(fc.string(), json) })), json),
    summary: json,
    encrypted_content: json,
  },
  { requiredKeys: ['type'] },
)
const types = [
  'output_item.added',
  'output_item.done',
  'output_text.delta',
  'reasoning_summary_text.delta',
  'completed',
]
const event = fc.record(
  {
    type: fc.oneof(fc.constantFrom(...types.map((type) => `response.${type}`)), json),
    output_index: fc.oneof(fc.nat(3), json),
    item: fc.oneof(item, json),
    delta: fc.oneof(fc.string(), json),
    response: fc.oneof(fc.record({ output: fc.array(fc.oneof(item, json)), usage: json }), json),
  },
  { requiredKeys: ['type'] },
)

test('Whatever the server sends is a proper message, or proper up to an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ weight: 8, arbitrary: event }, json), { maxLength: 8 }), async (pieces) => {
      const stream = pieces.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
      const events: MessagesEvent[] = []
      try {
        for await (const each of replyTo(streamOf(stream))) events.push(each)
        expectMessageOrder(events)
      } catch (error) {
        if (!(error instanceof UpstreamError) || error.message.startsWith('The gateway failed')) throw error
        expect(error.status).toBeGreaterThanOrEqual(400)
        expect(events.map(({ type }) => type)).not.toContain('message_stop')
      }
    }),
    { numRuns: runs(400) },
  )
})

function replyTo(reply: Response): AsyncIterable<MessagesEvent> {
  let ids = 0
  const upstream = responsesUpstream({
    name: 'x',
    baseUrl: 'http://provider.example/v1',
    newId: () => String(++ids),
    fetch: async () => reply,
  })
  const request = messagesRequest.parse({ model: 'm', messages: [{ role: 'user', content: 'x' }] })
  return upstream.send(request, { signal: new AbortController().signal })
}
