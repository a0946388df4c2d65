import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import { answered } from '../../../support/scripted-executor.ts'
import { framesOf, testApp, usual } from '../../test-app.ts'

const request = { query: 'what was asked', history: [], want: 'answer', effort: 'fast', filters: {} }

describe('the internal endpoint /execute', () => {
  test.each(['/execute', '/v1/execute'])("streams csp's own events at %s", async (path) => {
    const { request: send, executor } = testApp()
    const response = await send(path, { method: 'POST', body: JSON.stringify({ request }) })
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    expect(framesOf(await response.text()).map((data) => JSON.parse(data))).toEqual(
      JSON.parse(JSON.stringify(answered)),
    )
    // Memory would shadow the other backends of the csp that asks.
    expect(executor.calls[0]?.request).toEqual({ ...request, memory: 'never' } as never)
  })

  test('keeps the lines of what was asked', async () => {
    const { request: send, executor } = testApp()
    const query = ' bees\r\n\thum\x07 '
    await (await send('/execute', { method: 'POST', body: JSON.stringify({ request: { ...request, query } }) })).text()
    expect(executor.calls[0]?.request.query).toBe('bees\n\thum')
  })

  test('needs a key where keys are set', async () => {
    const { post } = testApp(usual(), { keys: ['a-key-of-the-tests'] })
    const { status, body } = await post('/execute', { request })
    expect(status).toBe(401)
    expect(body).toMatchObject({ type: 'error', code: 'unauthorized' })
  })

  test('gives an error before the first event its own status', async () => {
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
    ['request.excerpts', { request: { ...request, excerpts: 'all' } }],
    ['request.model', { request: { ...request, model: '--settings' } }],
    ['request.model', { request: { ...request, model: 'a\nb' } }],
    ['request.filters.includeDomains[0]', { request: { ...request, filters: { includeDomains: ['a b'] } } }],
    ['request.filters.publishedAfter', { request: { ...request, filters: { publishedAfter: '2026-02-30' } } }],
    ['request.filters.country', { request: { ...request, filters: { country: 'Utopia' } } }],
    ['request.tools[0].name', { request: { ...request, tools: [{ name: 'a b', parameters: {} }] } }],
    ['request.stop[0]', { request: { ...request, stop: [''] } }],
  ])('names the wrong field %s and makes no search', async (field, body) => {
    const { post, executor } = testApp()
    const reply = await post('/execute', body)
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({ type: 'error', code: 'invalid-request' })
    expect(reply.body.message).toContain(field)
    expect(executor.calls).toHaveLength(0)
  })
})
