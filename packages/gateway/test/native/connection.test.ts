import { describe, expect, spyOn, test } from 'bun:test'
import { HttpFailure, type HttpFailureKind } from '@csp/lib/http-client'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { Connection, type ConnectionOptions, toStreamError } from '../../src/native/connection.ts'
import { ReplyMeter } from '../../src/native/reply-meter.ts'
import type { UpstreamCall } from '../../src/upstream.ts'
import { failureOf } from '../support/failure-of.ts'

const { signal } = new AbortController()

/** A connection to a server that answers so, and what it was sent. */
function connect(answer: () => Response | Promise<Response>, options: Partial<ConnectionOptions> = {}) {
  const sent: { readonly url: string; readonly headers: Headers; readonly body: unknown }[] = []
  const fetch = async (url: string, { headers, body }: RequestInit) => {
    sent.push({ url, headers: new Headers(headers), body })
    return answer()
  }
  return { sent, connection: new Connection({ baseUrl: 'http://a.example', fetch, ...options }) }
}

/** Posts, and fails as the upstream tells it. */
function explainedPost(connection: Connection): Promise<Response> {
  return connection
    .post('/messages', 'x', { signal })
    .catch((error: unknown) => Promise.reject(connection.explained(error)))
}

test.each([
  ['http://a.example', 'http://a.example/v1/messages'],
  ['http://a.example/', 'http://a.example/v1/messages'],
  ['http://a.example/v1', 'http://a.example/v1/messages'],
  ['http://a.example/api/v1/messages', 'http://a.example/api/v1/messages'],
])('a body for %s is sent to %s, with the query of the caller', async (baseUrl, url) => {
  const { connection, sent } = connect(() => new Response('{}'), { baseUrl })
  await connection.post('/messages', 'x', { signal })
  await connection.post('/messages', 'x', { signal, query: '?beta=true' })
  expect(sent.map(({ url }) => url)).toEqual([url, `${url}?beta=true`])
  expect(sent[0]?.body).toBe('x')
})

test.each([
  ['http://a.example', 'k', { 'x-api-key': 'k', authorization: 'Bearer k' }],
  ['https://api.anthropic.com', 'k', { 'x-api-key': 'k' }],
  ['http://a.example', undefined, {}],
])('%s with the key %p gets the headers %j and those that the API defines', async (baseUrl, key, own) => {
  const { connection, sent } = connect(() => new Response('{}'), { baseUrl, key })
  await connection.post('/messages', 'x', { signal })
  await connection.post('/messages', 'x', { signal, version: 'v', beta: 'b' })
  const always = { 'content-type': 'application/json', ...own }
  expect(sent.map(({ headers: each }) => Object.fromEntries(each))).toEqual([
    { ...always, 'anthropic-version': '2023-06-01' },
    { ...always, 'anthropic-version': 'v', 'anthropic-beta': 'b' },
  ])
})

describe('a server that refuses a body', () => {
  const advice = ' (Is the key of this provider right? csp config shows which one is sent there.)'

  test.each([
    [401, '{"error":{"type":"authentication_error","message":"No k."}}', 401, `No […].${advice}`],
    [403, '{"error":"No."}', 403, `No.${advice}`],
    [404, '', 404, 'The upstream a.example failed with status 404. (Are the address and the name of the model right?)'],
    [304, '', 502, 'The upstream a.example failed with status 304.'],
    [400, `{"error":"${'x'.repeat(2001)}"}`, 400, 'x'.repeat(2000)],
  ])('with %i and %j fails', async (status, body, failed, message) => {
    const { connection } = connect(() => new Response(status === 304 ? null : body, { status }), { key: 'k' })
    const failure = await failureOf(explainedPost(connection))
    expect([failure.status, failure.message.replaceAll(/No [^ .]+\./g, 'No […].')]).toEqual([failed, message])
  })

  test('may say when it takes it', async () => {
    const { connection } = connect(() => new Response('', { status: 429, headers: { 'retry-after': '7' } }))
    expect(await failureOf(explainedPost(connection))).toMatchObject({ retryAfterSeconds: 7 })
  })

  test.each([
    [200, '{"type":"message"}', undefined],
    // Some servers have 200 for a route that they lack.
    [200, '{"error":"No such route."}', 404],
    [400, '{}', 400],
    [404, '', 404],
    [500, '', 500],
  ])('is known by its status %i and %j: %p', async (status, body, refusal) => {
    const { connection } = connect(() => new Response(body, { status }))
    expect(await connection.refusal('/messages', '{}', { signal })).toBe(refusal as number)
  })

  test.each([408, 429, 502, 503, 504, 529])('with %i has not said what it can do', async (status) => {
    const { connection } = connect(() => new Response('', { status }))
    expect(await failureOf(connection.refusal('/messages', '{}', { signal }))).toMatchObject({ status })
  })
})

test('a server that sends csp elsewhere, or no reply in time, fails with what it did', async () => {
  const location = { location: 'http://b.example/' }
  const elsewhere = connect(() => new Response(null, { status: 302, headers: location }))
  expect(await failureOf(elsewhere.connection.post('/messages', 'x', { signal }))).toMatchObject({
    ...{ status: 502, message: 'The upstream a.example replied with status 302, which csp does not follow.' },
  })
  const silent = connect(() => new Promise<Response>(() => {}), { headMs: 1 })
  expect(await failureOf(silent.connection.post('/messages', 'x', { signal }))).toMatchObject({
    ...{ status: 504, message: 'The upstream a.example sent no reply for 0.001 s.' },
  })
})

test('a server that is not there fails, and its failure is told from a caller who left', async () => {
  const { connection } = connect(() => Promise.reject(new TypeError('refused')))
  const failure = await failureOf(connection.refusal('/messages', 'x', { signal }))
  const message = 'The upstream a.example cannot be reached. Is it running, and is its address right?'
  expect([failure.status, failure.message]).toEqual([503, message])
  const left = failureOf(connection.post('/messages', 'x', { signal: AbortSignal.abort() }))
  expect(await left).toMatchObject({ status: 499 })
})

test.each([
  ['aborted', 499, 'The request was cancelled.'],
  ['silent', 504, 'The upstream sent nothing for 1.5 s.'],
  ['too-long', 502, 'The reply of the upstream is too large.'],
  ['network', 502, 'The connection to the upstream broke in the middle of its reply.'],
] as const)('a body that ends by %s fails with %i', (kind, status, message) => {
  const failure = toStreamError(new HttpFailure(kind as HttpFailureKind), AbortSignal.abort(), 1500)
  expect([failure.status, failure.message]).toEqual([status, message])
  const own = new UpstreamError(429, 'Later.')
  expect(toStreamError(own, signal, 1)).toBe(own)
})

test('the tokens of a reply are told once, as its last words on them say', () => {
  const told: Partial<UpstreamCall>[] = []
  const clock = spyOn(performance, 'now').mockReturnValueOnce(1000).mockReturnValueOnce(1250)
  const meter = new ReplyMeter('http://me:secret@a.example/v1', 'm', { answered: (call) => told.push(call), note() {} })
  meter.read({ input_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 4, output_tokens: 0 })
  meter.read({ output_tokens: 8, input_tokens: null })
  meter.read('nothing')
  meter.end()
  meter.end()
  clock.mockRestore()
  expect(told).toEqual([
    {
      ...{ baseUrl: expect.not.stringContaining('secret'), model: 'm', inputTokens: 7, cachedInputTokens: 4 },
      ...{ outputTokens: 8, milliseconds: 250 },
    },
  ])
})
