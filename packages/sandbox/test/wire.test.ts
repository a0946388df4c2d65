import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { quickTimers } from '@csp/testing/quick-timers'
import { z } from 'zod'
import { sampleRequests } from './sample-requests.ts'
import { foldEvents, readEvents } from './stream-fold.ts'
import { createSandbox } from './support/recorded-sandbox.ts'
import { startSandbox } from './support/sandbox.ts'

const now = () => new Date('2026-03-15T12:00:00Z')
const calls = {
  search: sampleRequests.search('bun runtime'),
  decide: sampleRequests.decide('bun?'),
  write: sampleRequests.write('bun?'),
}

describe('a reply of the sandbox', () => {
  test.each(Object.entries(calls))('to %s is the same message streamed and whole', async (_, body) => {
    // Two sandboxes, so that both count their ids from one.
    const streamed = await readEvents(await createSandbox({ now }).fetch(post(body)))
    const whole = await createSandbox({ now }).fetch(post({ ...body, stream: false }))
    expect(whole.headers.get('content-type')).toBe('application/json')
    expect(foldEvents(streamed)).toEqual(await whole.json())
  })

  test('as a stream has the events of the real one, in order', async () => {
    const response = await createSandbox({ now, resultCount: 1 }).fetch(post(calls.search))
    expect(response.headers.get('content-type')).toStartWith('text/event-stream')
    const events = await readEvents(response)
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(['message_start', 'ping', 'content_block_start'])
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop'])
    const started = events.filter(({ type }) => type === 'content_block_start')
    expect(started.map(({ index }) => index)).toEqual(started.map((_, index) => index))
    expect(started.slice(0, 3).map(({ content_block }) => content_block?.['type'])).toEqual([
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ])
    expect(events.at(-2)?.usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } })
  })

  test('has a request id and the state of the subscription', async () => {
    const limitResetsAt = new Date('2026-03-15T14:00:00Z')
    const { headers } = await createSandbox({ now, limitResetsAt, utilization: 0.42 }).fetch(post(calls.write))
    expect(headers.get('request-id')).toMatch(/^req_/)
    expect(Object.fromEntries([...headers].filter(([name]) => name.startsWith('anthropic-ratelimit-')))).toMatchObject({
      'anthropic-ratelimit-unified-status': 'allowed',
      'anthropic-ratelimit-unified-reset': '1773583200',
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
      'anthropic-ratelimit-unified-5h-utilization': '0.42',
    })
  })
})

describe('another request to the sandbox', () => {
  test('can count tokens', async () => {
    const response = await createSandbox().fetch(post(calls.write, '/v1/messages/count_tokens?beta=true'))
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  })

  test('that is unknown or not understood gets an error in the envelope of the API', async () => {
    const sandbox = createSandbox()
    const missing = await sandbox.fetch(new Request('http://sandbox/v1/nothing'))
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: { type: 'not_found_error' } }])
    const wrong = await sandbox.fetch(new Request('http://sandbox/v1/messages', { method: 'POST', body: '{"a":1}' }))
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: { type: 'invalid_request_error' } }])
    expect(sandbox.stats()).toMatchObject({ calls: 0, open: 0 })
  })
})

describe('an error of the sandbox', () => {
  test.each([
    ['error-400', 400, 'invalid_request_error'],
    ['error-401', 401, 'authentication_error'],
    ['error-403', 403, 'permission_error'],
    ['error-429', 429, 'rate_limit_error'],
    ['error-500', 500, 'api_error'],
    ['error-529', 529, 'overloaded_error'],
  ] as const)('in the scenario %s has the status %i and the type %s', async (scenario, status, type) => {
    const response = await createSandbox({ scenario }).fetch(post(calls.search))
    const body = z.looseObject({ request_id: z.string() }).parse(await response.json())
    expect(response.status).toBe(status)
    expect(body).toMatchObject({ type: 'error', error: { type } })
    expect(response.headers.get('request-id')).toBe(body.request_id)
  })

  test('says what an account lacks that cannot pay, and otherwise what is wrong', async () => {
    const messageIn = async (scenario: 'error-credit-balance' | 'error-400') => {
      const response = await createSandbox({ scenario }).fetch(post(calls.search))
      return z.looseObject({ error: z.object({ message: z.string() }) }).parse(await response.json()).error.message
    }
    expect(await messageIn('error-credit-balance')).toStartWith('Your credit balance is too low')
    expect(await messageIn('error-400')).toBe('messages: the sandbox was told to find this request invalid')
  })

  test('for a spent limit says when it ends', async () => {
    const resetSeconds = Math.floor(Date.now() / 1000) + 7200
    const limitResetsAt = new Date(resetSeconds * 1000)
    const { headers } = await createSandbox({ scenario: 'error-429', limitResetsAt }).fetch(post(calls.search))
    expect(headers.get('anthropic-ratelimit-unified-status')).toBe('rejected')
    expect(headers.get('anthropic-ratelimit-unified-reset')).toBe(String(resetSeconds))
    const retryAfter = Number(headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(7000)
    expect(retryAfter).toBeLessThanOrEqual(7200)
  })
})

describe('the sandbox over a connection', () => {
  test('answers nothing with hang, and ends when the client does', async () => {
    await using running = startSandbox({ scenario: 'hang' })
    const gone = new AbortController()
    const response = fetch(post(calls.search, '/v1/messages', running.url, gone.signal))
    await running.sandbox.until(({ open, calls }) => open === 1 && calls === 1)
    gone.abort()
    expect(await response.catch((error: Error) => error.name)).toBe('AbortError')
    await running.sandbox.until(({ open }) => open === 0)
  })

  test('stops thinking when the client leaves', async () => {
    await using running = startSandbox({ thinkMs: { search: 600_000 } })
    const gone = new AbortController()
    const response = fetch(post(calls.search, '/v1/messages', running.url, gone.signal))
    await running.sandbox.until(({ calls }) => calls === 1)
    gone.abort()
    expect(await response.catch((error: Error) => error.name)).toBe('AbortError')
    await running.sandbox.until(({ open }) => open === 0)
  })

  test('stops slow text when the client leaves', async () => {
    await using running = startSandbox({ scenario: 'slow', deltaPauseMs: 600_000 })
    const gone = new AbortController()
    const response = await fetch(post(calls.write, '/v1/messages', running.url, gone.signal))
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('message_start')
    expect(running.sandbox.stats().open).toBe(1)
    gone.abort()
    await running.sandbox.until(({ open }) => open === 0)
  })

  test('sends slow text completely', async () => {
    await using running = startSandbox({ scenario: 'slow', deltaPauseMs: 1 })
    const events = await readEvents(await fetch(post(calls.search, '/v1/messages', running.url)))
    expect(events.at(-1)?.type).toBe('message_stop')
    await running.sandbox.until(({ open }) => open === 0)
  })

  test.each([true, false])('breaks off in the middle with cut (streamed: %p)', async (stream) => {
    using _ = quickTimers()
    await using running = startSandbox({ scenario: 'cut' })
    const response = await fetch(
      post({ ...sampleRequests.write('bun? '.repeat(40)), stream }, '/v1/messages', running.url),
    )
    expect(response.status).toBe(200)
    const decoder = new TextDecoder()
    let received = ''
    const read = async () => {
      for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true })
    }
    expect(await read().catch((error: Error) => error.message)).toContain('closed unexpectedly')
    expect(received).toContain(stream ? 'text_delta' : '"type":"message"')
    expect(received).not.toContain('end_turn')
    await running.sandbox.until(({ open }) => open === 0)
  })

  test('has an error in the middle with error-midway, where it is streamed', async () => {
    const { fetch: ask } = createSandbox({ scenario: 'error-midway', now })
    const events = await readEvents(await ask(post(calls.search)))
    const usual = await readEvents(await createSandbox({ now }).fetch(post(calls.search)))
    expect(events.slice(0, -1)).toEqual(usual.slice(0, events.length - 1))
    expect([events.length > 3, events.length < usual.length]).toEqual([true, true])
    const error = { type: 'overloaded_error', message: 'Overloaded' }
    expect<unknown>(events.at(-1)).toEqual({ type: 'error', error })
    const whole = await ask(post({ ...calls.search, stream: false }))
    expect(await whole.json()).toMatchObject({ stop_reason: 'end_turn' })
  })
})

function post(body: MessagesRequest, path = '/v1/messages?beta=true', origin = 'http://sandbox', signal?: AbortSignal) {
  return new Request(new URL(path, origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-ant-oat01-sandbox' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
