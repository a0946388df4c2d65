import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { type PassThroughOptions, passThrough } from '../../src/native/pass-through.ts'

const start = { type: 'message_start', message: { model: 'own', usage: { input_tokens: 3 } } }
const named = { type: 'message_start', message: { model: 'asked', usage: { input_tokens: 3 } } }
const delta = 'data: {"type":"message_delta","usage":{"output_tokens":5}}\n\n'
const stop = 'data: {"type":"message_stop"}\n\n'
const event = (value: object) => `event: message_start\ndata: ${JSON.stringify(value)}\n\n`

/** A reply of these pieces, behind which an error, nothing more or, by default, its end comes. */
function reply(pieces: readonly string[], behind: 'end' | 'error' | 'silence' = 'end', onCancel = async () => {}) {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece))
  return new Response(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        const piece = rest.shift()
        if (piece) controller.enqueue(piece)
        else if (behind === 'end') controller.close()
        else if (behind === 'error') controller.error(new Error('reset'))
        else await new Promise(() => {})
      },
      cancel: onCancel,
    }),
  )
}

function pass(response: Response, more: Partial<PassThroughOptions> = {}) {
  const breaks: UpstreamError[] = []
  const usages: unknown[] = []
  const ends = { count: 0 }
  const passed = passThrough(response, {
    ...{ model: 'asked', signal: new AbortController().signal, idleMs: 60_000 },
    ...{
      meter: { read: (usage: unknown) => usages.push(usage) },
      onBreak: (error: UpstreamError) => breaks.push(error),
    },
    onEnd: () => ends.count++,
    ...more,
  })
  return { passed, breaks, usages, ends }
}

test('a stream has the name of the model that was asked for, wherever it is cut, and its usage is read', async () => {
  const text = event(start) + delta + stop
  for (let cut = 0; cut <= text.length; cut++) {
    const { passed, breaks, usages, ends } = pass(reply([text.slice(0, cut), text.slice(cut)].filter((piece) => piece)))
    expect(await passed.text()).toBe(event(named) + delta + stop)
    expect({ breaks, usages, ends }).toEqual({
      ...{ breaks: [], usages: [{ input_tokens: 3 }, { output_tokens: 5 }], ends: { count: 1 } },
    })
  }
})

test.each([
  [{ type: 'message_start' }],
  [{ type: 'message_start', message: 'none' }],
  [{ type: 'ping', of: 'message_start' }],
])('an event without a message passes as it is: %j', async (value) => {
  const { passed, usages } = pass(reply([event(value), stop]))
  expect(await passed.text()).toBe(event(value) + stop)
  expect(usages).toEqual([undefined])
})

describe('a stream without its end', () => {
  test.each([
    ['end', 'The upstream broke off its reply.'],
    ['error', 'The connection to the upstream broke in the middle of its reply.'],
  ] as const)('has an error behind it: %s', async (behind, message) => {
    const { passed, breaks, ends } = pass(reply([event(start)], behind))
    const error = { type: 'error', error: { type: 'api_error', message } }
    const text = await passed.text()
    expect(text).toStartWith(`${event(named)}\n\nevent: error\ndata: `)
    expect(JSON.parse(text.split('data: ').at(-1) ?? '')).toMatchObject(error)
    expect(breaks).toMatchObject([{ status: 502, message }])
    expect(ends.count).toBe(1)
  })

  test('breaks only where its end has not come', async () => {
    const { passed, breaks } = pass(reply([event(start), stop], 'error'))
    expect(await passed.text()).toBe(event(named) + stop)
    expect(breaks).toEqual([])
  })

  test('says to a caller whose time is over why it ends, and nothing to one who has left', async () => {
    for (const reason of [new UpstreamError(504, 'Too late.'), new Error('gone')]) {
      const caller = new AbortController()
      const { passed, ends } = pass(reply([event(start)], 'silence'), { signal: caller.signal })
      const text = passed.text().catch(() => 'failed')
      await Bun.sleep(0)
      caller.abort(reason)
      expect(await text).toMatch(reason instanceof UpstreamError ? /event: error/ : /^failed$/)
      expect(ends.count).toBe(1)
    }
  })

  test('is given up before its reader has left', async () => {
    const order: string[] = []
    const response = reply([event(start)], 'silence', async () => {
      await Bun.sleep(0)
      order.push('upstream')
    })
    const { passed, ends } = pass(response)
    const reader = passed.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    order.push('reader')
    expect(order).toEqual(['upstream', 'reader'])
    expect(ends.count).toBe(1)
  })
})

test('a reply without a body is an error', () => {
  expect(() => pass(new Response(null))).toThrow('The upstream sent an empty reply.')
})
