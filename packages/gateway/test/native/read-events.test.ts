import { expect, test } from 'bun:test'
import type { MessagesEvent } from '@csp/messages-api/events'
import { readEvents, readReply } from '../../src/native/read-events.ts'
import { ProviderReplyError } from '../../src/translation/provider-error.ts'
import { failureOf } from '../support/failure-of.ts'

const key = 'a-secret-key'
const signal = new AbortController().signal
const frames = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const read = (body: string | null) =>
  Array.fromAsync(readEvents(new Response(body), { model: 'mine', signal, idleMs: 1000, key }))

/** The status of a failure, whether it is explained already or not. */
async function statusOf(failing: Promise<unknown>): Promise<number> {
  const explained = failing.catch((error: unknown) => {
    if (error instanceof ProviderReplyError) return error.failure.status
    throw error
  })
  const told = await explained.catch(() => undefined)
  return typeof told === 'number' ? told : (await failureOf(failing)).status
}

const message = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'theirs',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
}
const start = { type: 'message_start', message }
const stop = { type: 'message_stop' }

test('events are read up to the last one, under the name of the model that the caller used', async () => {
  const events: MessagesEvent[] = await read(frames(start, { type: 'new_kind' }, stop, { type: 'error', error: {} }))
  expect(events).toMatchObject([{ type: 'message_start', message: { model: 'mine' } }, stop])
})

test.each([
  ['no body', null, 502],
  ['no end', frames(start), 502],
  ['a bad event', frames({ type: 'content_block_start', index: 'one' }, stop), 502],
  ['an error', frames({ type: 'error', error: { type: 'overloaded_error', message: `No ${key}.` } }), 529],
  ['an error without words', frames({ type: 'error' }), 502],
])('a stream with %s fails', async (_name, body, status) => {
  expect(await statusOf(read(body))).toBe(status)
})

test('a stream without a body is told from one that breaks off', async () => {
  expect((await failureOf(read(null))).message).toBe('The upstream sent an empty reply.')
  expect((await failureOf(read(frames(start)))).message).toBe('The upstream broke off its reply.')
})

test('a whole reply is a message under the name of the model that the caller used', () => {
  expect(readReply(message, 'mine')).toMatchObject({ ...message, model: 'mine' })
})

test.each([
  [{ type: 'error', error: { type: 'rate_limit_error', message: `Later, ${key}.` } }, 429],
  [{ error: { message: 'No.' } }, 502],
  [{ hello: 1 }, 502],
])('%j is no message', async (value, status) => {
  expect(await statusOf(Promise.try(() => readReply(value, 'mine')))).toBe(status)
})
