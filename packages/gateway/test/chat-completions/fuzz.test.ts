import { expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import { messagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { expectMessageOrder } from '../support/message-order.ts'
import { streamOf } from '../support/provider-stream.ts'

const json = fc.jsonValue({ maxDepth: 3 })
const types = [
  'text',
  'image',
  'document',
  'tool_use',
  'tool_result',
  'thinking',
  'server_tool_use',
  'web_search_tool_result',
  'search_result',
  'x',
]
const block = fc.record(
  {
    type: fc.constantFrom(...types),
    text: fc.oneof(fc.string(), json),
    id: fc.constantFrom('a', 'b', '', 5),
    name: fc.constantFrom('f', '__proto__', 'a b'),
    input: fc.oneof(fc.dictionary(fc.string(), json), json),
    tool_use_id: fc.constantFrom('a', 'b', 5),
    content: fc.oneof(json, fc.array(fc.record({ type: fc.constantFrom(...types), text: fc.string(), source: json }))),
    source: fc.oneof(
      json,
      fc.record({ type: fc.constantFrom('base64', 'text', 'content'), data: fc.string(), content: json }),
    ),
    thinking: fc.string(),
    signature: fc.oneof(fc.string(), fc.constantFrom('csp1:', 'csp1:{', 'csp1:{"field":"reasoning"}')),
    is_error: fc.boolean(),
    title: json,
  },
  { requiredKeys: ['type'] },
)
const request = fc.record(
  {
    model: fc.constant('m'),
    max_tokens: fc.integer({ min: 1, max: 5000 }),
    system: fc.oneof(fc.string(), fc.array(block, { maxLength: 3 })),
    messages: fc.array(
      fc.record({
        role: fc.constantFrom('user', 'assistant', 'system'),
        content: fc.oneof(fc.string(), fc.array(block, { maxLength: 5 })),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    tools: fc.array(
      fc.record({
        type: fc.constantFrom('custom', null, 'bash_20250124'),
        name: fc.string({ minLength: 1 }),
        input_schema: fc.dictionary(fc.string(), json),
      }),
    ),
    tool_choice: fc.record({ type: fc.constantFrom('auto', 'any', 'tool', 'none', 'x'), name: fc.string() }),
    thinking: fc.record({ type: fc.string() }),
  },
  { requiredKeys: ['model', 'messages'] },
)

const call = fc.record(
  {
    index: fc.oneof(fc.nat(2), fc.constant(null), json),
    extra_content: fc.oneof(fc.record({ google: json }), json),
    id: fc.oneof(fc.constantFrom('a', 'b', '', null), json),
    function: fc.oneof(
      fc.record(
        {
          name: fc.oneof(fc.constantFrom('f', 'g', '', null), json),
          arguments: fc.oneof(fc.string(), fc.constantFrom('{', '}', '{}', '"'), json),
        },
        { requiredKeys: [] },
      ),
      json,
    ),
  },
  { requiredKeys: [] },
)
const delta = fc.record(
  {
    content: fc.oneof(fc.string(), json),
    refusal: fc.oneof(fc.constant(null), json),
    reasoning: fc.oneof(fc.string(), json),
    reasoning_content: json,
    reasoning_details: fc.oneof(
      fc.array(
        fc.record({
          type: fc.constantFrom('reasoning.text', 'reasoning.encrypted'),
          text: json,
          data: json,
          index: json,
        }),
      ),
      json,
    ),
    tool_calls: fc.oneof(fc.array(call), json),
  },
  { requiredKeys: [] },
)
const piece = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        choices: fc.array(fc.record({ delta, finish_reason: fc.constantFrom(null, null, null, 'stop', 'x', 5) }), {
          maxLength: 2,
        }),
        usage: fc.oneof(fc.constant(null), json),
      },
      { requiredKeys: ['choices'] },
    ),
  },
  { weight: 1, arbitrary: json },
  { weight: 1, arbitrary: fc.record({ error: json }) },
)

test('Whatever a caller sends is answered or is an error of the caller, and the body is proper JSON', async () => {
  await fc.assert(
    fc.asyncProperty(request, async (sent) => {
      let body: unknown
      const fetch = async (_url: string, init: RequestInit) => {
        body = JSON.parse(String(init.body))
        return streamOf('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n')
      }
      const { events, error } = await run(fetch, messagesRequest.parse(sent))
      if (error) expect(error).toMatchObject({ status: 400, message: expect.stringMatching(/^(messages|system)\.\d/) })
      else expectMessageOrder(events)
      if (!error) expect(body).toMatchObject({ model: 'm', stream: true })
    }),
    { numRuns: runs(400) },
  )
})

test('Whatever a provider sends is a proper message, or proper up to an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const stream = pieces.map((each) => `data: ${JSON.stringify(each)}\n\n`).join('')
      const { events, error } = await run(async () => streamOf(stream), {
        model: 'm',
        messages: [{ role: 'user', content: 'x' }],
      })
      if (!error) expectMessageOrder(events)
      else expect(error.status).toBeGreaterThanOrEqual(400)
      if (error) expect(events.map(({ type }) => type)).not.toContain('message_stop')
    }),
    { numRuns: runs(400) },
  )
})

async function run(
  fetch: (url: string, init: RequestInit) => Promise<Response>,
  what: Parameters<ReturnType<typeof chatUpstream>['send']>[0],
) {
  const upstream = chatUpstream({ name: 'x', baseUrl: 'http://provider.example/v1', fetch })
  const events: MessagesEvent[] = []
  try {
    for await (const event of upstream.send(what, { signal: new AbortController().signal })) events.push(event)
    return { events, error: undefined }
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.message.startsWith('The gateway failed')) throw error
    return { events, error }
  }
}
