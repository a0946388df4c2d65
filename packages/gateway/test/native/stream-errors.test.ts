import { describe, expect, test } from 'bun:test'
import { nativeUpstream } from '../../src/native/native.ts'
import { failureOf } from '../support/failure-of.ts'

const frame = (event: { readonly type: string; readonly [field: string]: unknown }) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const message = { id: 'm', type: 'message', role: 'assistant', model: 'x', content: [], usage: { output_tokens: 0 } }
const start = frame({ type: 'message_start', message })
const half = frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half a sen' } })
const stop = frame({ type: 'message_stop' })
const request = { model: 'm', stream: true, messages: [{ role: 'user' as const, content: 'hi' }] }

/** What is passed on of a stream that comes in these pieces, with pauses of a turn or so many milliseconds. */
function forwarded(parts: readonly (string | number)[], baseUrl = 'http://native.example', heartbeatMs?: number) {
  const fetch = async () => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (const part of parts) {
          if (typeof part === 'string') controller.enqueue(new TextEncoder().encode(part))
          await Bun.sleep(typeof part === 'number' ? part : 0)
        }
        controller.close()
      },
    })
    const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_1', 'x-should-retry': 'false', via: 'x' }
    return new Response(body, { headers: { ...headers, 'anthropic-ratelimit-tokens-remaining': '7' } })
  }
  const upstream = nativeUpstream({ name: 'n', baseUrl, fetch, heartbeatMs })
  return upstream.forward(request, { signal: new AbortController().signal })
}

const errors: readonly (readonly [object, number, string])[] = [
  [{ error: { message: 'boom', code: 500 } }, 500, 'api_error'],
  [{ object: 'error', message: 'boom', code: 503 }, 503, 'overloaded_error'],
  [{ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }, 529, 'overloaded_error'],
  [{ type: 'error', message: 'boom' }, 502, 'api_error'],
  [{ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 402, 'billing_error'],
  [
    { error: { message: 'request (5 tokens) exceeds the available context size (4 tokens)' } },
    400,
    'invalid_request_error',
  ],
]

describe('An error in a stream of status 200', () => {
  test.each(errors)('that begins with it keeps its status: %j', async (error, status, type) => {
    expect(await failureOf(forwarded([`data: ${JSON.stringify(error)}\n\n`]))).toMatchObject({ status, type })
  })

  test.each(errors)('behind its beginning is an event of the Messages API: %j', async (error, _, type) => {
    const reply = await forwarded([start, 5, half, `data: ${JSON.stringify(error)}\n\n`, 'data: [DONE]\n\n'])
    const events = (await reply.text()).split('\n\n').filter((text) => text.includes('data:'))
    expect(JSON.parse(events.at(-1)?.split('data: ')[1] ?? '')).toMatchObject({ type: 'error', error: { type } })
    expect(events).toHaveLength(3)
  })

  test('of the vendor’s own API goes on as it is', async () => {
    const error = frame({ type: 'error', error: { type: 'invalid_request_error', message: 'context window' } })
    expect(await (await forwarded([error], 'https://api.anthropic.com')).text()).toBe(error)
  })

  test('is none where a text quotes one', async () => {
    const text = frame({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: '{"error": "[DONE]"}' },
    })
    expect(await (await forwarded([start + text + stop])).text()).toContain(text)
  })
})

test('Behind the end of a message nothing is passed on', async () => {
  const reply = await forwarded([start, half, stop, 'data: [DONE]\n\n', frame({ type: 'ping' })])
  expect(await reply.text()).toBe(start.replace('"x"', '"m"') + half + stop)
})

test('A silent stream gets a sign of life, between whole events only', async () => {
  const text = await (await forwarded([start + half.slice(0, 30), 60, half.slice(30), 60, stop], undefined, 10)).text()
  expect(text.replaceAll(': ping\n\n', '')).toBe(start.replace('"x"', '"m"') + half + stop)
  expect(text.split(': ping\n\n').length).toBeGreaterThan(2)
})

test('What a reply says of its request, of limits and of trying again is passed on, and nothing else', async () => {
  const { headers } = await forwarded([start, stop])
  const passed = Object.fromEntries([...headers].filter(([name]) => !/^(?:cache-control|content-type)$/.test(name)))
  expect(passed).toEqual({
    'request-id': 'req_1',
    'x-should-retry': 'false',
    'anthropic-ratelimit-tokens-remaining': '7',
  })
})
