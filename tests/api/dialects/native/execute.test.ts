import { describe, expect, test } from 'bun:test'
import { type Relay, type RelayRequest, relayThrough } from '../../../../src/api/serve/relay.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import { answered } from '../../../support/scripted-executor.ts'
import { asks, chunksOf, framesOf, testApp, usual } from '../../test-app.ts'

const request = { query: 'what was asked', history: [], want: 'answer', effort: 'fast', filters: {} }

describe('/execute', () => {
  test.each(['/execute', '/v1/execute'])('%s streams our own events', async (path) => {
    const { request: send, executor } = testApp()
    const response = await send(path, { method: 'POST', body: JSON.stringify({ request }) })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(framesOf(await response.text()).map((data) => JSON.parse(data))).toEqual(
      JSON.parse(JSON.stringify(answered)),
    )
    expect(executor.calls[0]?.request).toEqual(request as never)
  })

  test('needs a key where there is one', async () => {
    const { post } = testApp(usual(), { keys: ['a-key-of-the-tests'] })
    const { status, body } = await post('/execute', { request })
    expect(status).toBe(401)
    expect(body).toMatchObject({ type: 'error', code: 'unauthorized' })
  })

  test('an error before the first event has its own status', async () => {
    const { post } = testApp([new SearchError('busy', 'Later.', { retryAfterSeconds: 4 })])
    const { status, headers, body } = await post('/execute', { request })
    expect(status).toBe(429)
    expect(headers.get('retry-after')).toBe('4')
    expect(body).toEqual({ type: 'error', code: 'busy', message: 'Later.', retryAfterSeconds: 4 })
  })

  test.each([
    ['request', {}],
    ['request.query', { request: { ...request, query: '' } }],
    ['request.query', { request: { ...request, query: '\x00' } }],
    ['request.want', { request: { ...request, want: 'everything' } }],
    ['request.effort', { request: { ...request, effort: undefined } }],
    ['request.history[0].text', { request: { ...request, history: [{ role: 'user', text: 1 }] } }],
    ['request.limit', { request: { ...request, limit: 0 } }],
    ['request.model', { request: { ...request, model: '--settings' } }],
    ['request.model', { request: { ...request, model: 'a\nb' } }],
    ['request.filters.includeDomains[0]', { request: { ...request, filters: { includeDomains: ['a b'] } } }],
    ['request.filters.publishedAfter', { request: { ...request, filters: { publishedAfter: '2026-02-30' } } }],
    ['request.filters.country', { request: { ...request, filters: { country: 'Utopia' } } }],
    ['request.tools[0].name', { request: { ...request, tools: [{ name: 'a b', parameters: {} }] } }],
    ['request.stop[0]', { request: { ...request, stop: [''] } }],
  ])('a wrong %s is named, and costs no search', async (field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/execute', body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ type: 'error', code: 'invalid-request' })
    expect(reply.body.message).toContain(field)
    expect(executor.calls).toHaveLength(0)
  })
})

describe('a relay', () => {
  const chat = asks('hello you', { model: 'sonar', stream: true })
  const bytes = 'data: {"from":"afar"}\n\ndata: [DONE]\n\n'

  function relaying(answer: (request: RelayRequest, caller: string | undefined) => Response | undefined) {
    const offered: RelayRequest[] = []
    const relay: Relay = async (asked, caller) => {
      offered.push(asked)
      return answer(asked, caller)
    }
    return { offered, ...testApp(usual(), { relay }) }
  }

  function stream(body: BodyInit): Response {
    const headers = { 'content-type': 'text/event-stream', 'x-cache': 'hit', age: '7', 'set-cookie': 'a=b' }
    return new Response(body, { headers })
  }

  test('is offered what wants a stream, and its bytes go out as they are', async () => {
    const { request: send, offered, executor, log } = relaying(() => stream(bytes))
    const response = await send('/v1/chat/completions?x=1', { method: 'POST', body: JSON.stringify(chat) })
    expect(await response.text()).toBe(bytes)
    expect(offered).toMatchObject([
      {
        method: 'POST',
        path: '/v1/chat/completions?x=1',
        body: JSON.stringify(chat),
        requests: [{ query: 'hello you' }],
      },
    ])
    expect(executor.calls).toHaveLength(0)
    expect(Object.fromEntries(response.headers)).toMatchObject({ 'x-cache': 'hit', age: '7', 'x-request-id': 'id-1' })
    expect(response.headers.has('set-cookie')).toBe(false)
    expect(log).toMatchObject([{ status: 200, cache: 'hit', dialect: 'openai' }])
  })

  test('is not offered what wants none, or what is wrong', async () => {
    const { post, offered } = relaying(() => stream(bytes))
    expect((await post('/v1/chat/completions', asks('hello you', { model: 'sonar' }))).status).toBe(200)
    expect((await post('/v1/chat/completions', { stream: true, model: 'sonar', messages: [] })).status).toBe(400)
    expect(offered).toHaveLength(0)
  })

  test.each([
    ['gives nothing', () => undefined],
    [
      'is unavailable',
      () => {
        throw new SearchError('unavailable', 'No home is connected.')
      },
    ],
  ])('that %s leaves the request to this csp', async (_, answer) => {
    const { request: send, executor } = relaying(answer)
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    expect(chunksOf(await response.text()).length).toBeGreaterThan(1)
    expect(executor.calls).toHaveLength(1)
  })

  test.each([429, 500, 503])('whose csp answers with %i leaves the request to this one', async (status) => {
    const relay = relayThrough({ fetch: async () => Response.json({ error: 'no' }, { status }) })
    const { request: send, executor } = testApp(usual(), { relay })
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    expect(response.status).toBe(200)
    expect(executor.calls).toHaveLength(1)
    await response.body?.cancel()
  })

  test('that breaks off is told of under the next number, in which comments do not count', async () => {
    const cut = ': ping\n\nevent: response.created\ndata: {"sequence_number":0}\n\n: ping\n\ndata: {'
    const { request: send } = relaying(() => stream(cut))
    const asked = { model: 'gpt-5-search-api', input: 'hello you', stream: true, tools: [{ type: 'web_search' }] }
    const response = await send('/v1/responses', { method: 'POST', body: JSON.stringify(asked) })
    expect(await response.text()).toMatch(/event: error\ndata: .*"sequence_number":1[,}]/)
  })

  test('that refuses is passed on', async () => {
    const { request: send, executor, log } = relaying(() => Response.json({ error: 'no' }, { status: 404 }))
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({ error: 'no' })
    expect(executor.calls).toHaveLength(0)
    expect(log).toMatchObject([{ status: 404 }])
  })

  test.each([
    ['between two events', 'data: {"a":1}\n\n', 'data: {"a":1}\n\n'],
    ['in the middle of an event', ': ping\n\ndata: {"a":1}\n\ndata: {"b"', ': ping\n\ndata: {"a":1}\n\n'],
  ])('that breaks off %s is told of in the words of the dialect', async (_, sent, whole) => {
    let isFirst = true
    const body = () =>
      new ReadableStream({
        pull(controller) {
          if (!isFirst) return controller.error(new Error('reset'))
          isFirst = false
          controller.enqueue(new TextEncoder().encode(sent))
        },
      })
    const { request: send, log } = relaying(() => stream(body()))
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    const text = await response.text()
    expect(text.startsWith(whole)).toBe(true)
    expect(JSON.parse(framesOf(text.slice(whole.length))[0] ?? '')).toMatchObject({ error: { code: 'unavailable' } })
    expect(log).toMatchObject([{ code: 'unavailable' }])
  })

  test('passes whole events on, however they are cut', async () => {
    const all = new TextEncoder().encode(bytes)
    const body = () =>
      new ReadableStream({
        start(controller) {
          for (const byte of all) controller.enqueue(new Uint8Array([byte]))
          controller.close()
        },
      })
    const { request: send } = relaying(() => stream(body()))
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    const chunks: string[] = []
    for await (const chunk of response.body ?? []) chunks.push(new TextDecoder().decode(chunk))
    expect(chunks).toEqual(['data: {"from":"afar"}\n\n', 'data: [DONE]\n\n'])
  })

  test('is let go of when the reader leaves', async () => {
    let isCancelled = false
    const body = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
        cancel() {
          isCancelled = true
        },
      })
    const { request: send, log } = relaying(() => stream(body()))
    const response = await send('/v1/chat/completions', { method: 'POST', body: JSON.stringify(chat) })
    await response.body?.cancel()
    expect(isCancelled).toBe(true)
    expect(log).toHaveLength(1)
  })
})
