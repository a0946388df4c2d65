import { describe, expect, test } from 'bun:test'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1/messages'
const prompt = { model: 'claude-sonnet-4-5', max_tokens: 10, messages: [{ role: 'user', content: 'Why do bees hum?' }] }

function envelope(type: string, message: unknown = expect.any(String)) {
  return { type: 'error', error: { type, message }, request_id: 'id-1' }
}

const failures: Record<SearchErrorCode, readonly [status: number, type: string]> = {
  'invalid-request': [400, 'invalid_request_error'],
  unauthorized: [401, 'authentication_error'],
  'signed-out': [503, 'api_error'],
  'rate-limited': [429, 'rate_limit_error'],
  busy: [429, 'rate_limit_error'],
  unavailable: [529, 'overloaded_error'],
  ungrounded: [502, 'api_error'],
  timeout: [504, 'timeout_error'],
  cancelled: [499, 'api_error'],
  failed: [500, 'api_error'],
}

describe.each([false, true])('with stream: %p,', (stream) => {
  test.each(Object.entries(failures))(
    "a search that fails with %s gets the vendor's status and error type",
    async (code, [status, type]) => {
      // The keys of a record are typed as text.
      const error = new SearchError(code as SearchErrorCode, 'Nobody home.', { cause: new Error('secret') })
      const reply = await testApp([error]).post(path, { ...prompt, stream })
      expect(reply.status).toBe(status)
      expect(reply.body).toEqual(envelope(type, 'Nobody home.'))
      expect(reply.headers.get('request-id')).toBe('id-1')
    },
  )
})

test('a rate limit with a known end sends Retry-After', async () => {
  const error = new SearchError('rate-limited', 'Spent.', { retryAfterSeconds: 30 })
  expect((await testApp([error]).post(path, prompt)).headers.get('retry-after')).toBe('30')
})

describe('a request that causes no search', () => {
  test('a thread is refused with the code that makes the vendor’s client send the whole conversation', async () => {
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] }
    const bodies = [
      { ...prompt, thread: { type: 'create' } },
      { ...prompt, messages: [result], thread: { type: 'continue', id: 'thread_1' } },
      { messages: [], thread: { type: 'continue', id: 'thread_1' } },
      { ...prompt, stream: true, thread: {} },
    ]
    for (const at of [path, `${path}/count_tokens`]) {
      for (const body of bodies) {
        const { post, executor } = testApp()
        const reply = await post(at, body)
        expect(reply.status).toBe(400)
        const error = envelope('invalid_request_error').error
        const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
        expect(reply.body).toEqual({ ...envelope('invalid_request_error'), error: { ...error, details } })
        expect(executor.calls).toHaveLength(0)
      }
      expect((await testApp().post(at, { ...prompt, thread: null })).status).toBe(200)
    }
  })

  test('is refused with 404 for a model that writes no text', async () => {
    for (const at of [path, `${path}/count_tokens`]) {
      const { status, body } = await testApp().post(at, { ...prompt, model: 'gemini-embedding-001' })
      expect(status).toBe(404)
      expect(body).toEqual(envelope('not_found_error'))
      expect(body.error.message).toContain('gemini-embedding-001')
    }
  })

  test.each([
    ['no key', {}, 401],
    ['a wrong key', { 'x-api-key': 'wrong' }, 401],
    ['the key', { 'x-api-key': 'right', 'anthropic-version': '2023-06-01' }, 200],
    ['the key as a bearer', { authorization: 'Bearer right' }, 200],
  ] as const)('with %s gets the expected status', async (_name, headers, expected) => {
    const { status, body } = await testApp(undefined, { keys: ['right'] }).post(path, prompt, headers)
    expect(status).toBe(expected)
    if (expected === 401) expect(body).toEqual(envelope('authentication_error'))
  })

  test('is refused with 413 when its body is too large', async () => {
    const { status, body } = await testApp(undefined, { maximumBodyBytes: 50 }).post(path, prompt)
    expect(status).toBe(413)
    expect(body).toEqual(envelope('request_too_large'))
  })

  test('is refused with 403 when it comes from a page of another site', async () => {
    const { status, body } = await testApp().post(path, prompt, { origin: 'https://evil.example' })
    expect(status).toBe(403)
    expect(body).toEqual(envelope('permission_error'))
  })

  test.each([
    ['GET', path, 405, 'invalid_request_error'],
    ['GET', '/messages', 405, 'invalid_request_error'],
    ['GET', `${path}/count_tokens`, 405, 'invalid_request_error'],
    ['POST', `${path}/batches`, 404, 'not_found_error'],
  ] as const)("by %s to %s is refused in the vendor's shape", async (method, at, status, type) => {
    const response = await testApp().request(at, { method })
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual(envelope(type))
  })

  test.each(['', '{"model": '])('is refused with 400 for the body %j', async (body) => {
    const response = await testApp().request(path, { method: 'POST', body })
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual(envelope('invalid_request_error'))
  })

  test.each([path, `${path}/count_tokens`])('of Claude Code at %s is refused with advice', async (at) => {
    const { post, executor } = testApp()
    const agent = { 'user-agent': 'claude-cli/2.1.328 (external, sdk-cli)' }
    const { status, body } = await post(at, prompt, agent)
    expect(status).toBe(400)
    expect(body.error.message).toContain('ANTHROPIC_BASE_URL')
    expect(executor.calls).toHaveLength(0)
    expect((await post(at, prompt, { 'user-agent': 'not-claude-cli/1' })).status).toBe(200)
  })
})

describe('counting tokens', () => {
  const count = async (more: Record<string, unknown> = {}) => {
    const { model, messages } = prompt
    const { post, executor } = testApp()
    const { status, body } = await post(`${path}/count_tokens?beta=true`, { model, messages, ...more })
    expect(status).toBe(200)
    expect(executor.calls).toHaveLength(0)
    expect(Object.keys(body)).toEqual(['input_tokens'])
    return body.input_tokens
  }

  test('gives a token for every 3.5 characters, and none for what csp adds', async () => {
    expect(await count()).toBe(Math.ceil('Why do bees hum?'.length / 3.5))
    expect(await count({ messages: [{ role: 'user', content: 'x'.repeat(3500) }] })).toBe(1000)
  })

  test('counts everything in the prompt', async () => {
    const plain = await count()
    const schema = { type: 'object' }
    const use = { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Ulm' } }
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'Sun' }
    const more = [
      { system: 'Be brief.' },
      { tools: [{ name: 'weather', input_schema: schema }] },
      { output_config: { format: { type: 'json_schema', schema } } },
      { messages: [{ role: 'user', content: 'Hello there.' }, ...prompt.messages] },
      {
        messages: [...prompt.messages, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }],
      },
    ]
    for (const addition of more) expect(await count(addition)).toBeGreaterThan(plain)
  })

  test('refuses what could not be sent as a prompt', async () => {
    const { status, body } = await testApp().post(`${path}/count_tokens`, { model: 'claude-x', messages: [] })
    expect(status).toBe(400)
    expect(body).toEqual(envelope('invalid_request_error'))
  })
})
