import { afterEach, describe, expect, test } from 'bun:test'
import { createGateway } from '@csp/gateway/gateway'
import { createUpstreamStack } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import {
  type MessagesServer,
  messagesServer,
  type Override,
} from '../../../../packages/gateway/test/support/messages-server.ts'
import { createApp } from '../../../../src/app.ts'
import { Budget, type Limits } from '../../../../src/executor/layers/metering/budget.ts'
import { dayOf } from '../../../../src/executor/layers/metering/ledger.ts'
import { createLog } from '../../../../src/runtime/log/log.ts'
import { logUpstreamCall, requestLog } from '../../../../src/runtime/log/request-log.ts'
import { fakeExecutor } from '../../../support/fake-executor.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'

let server: MessagesServer | undefined
afterEach(() => server?.stop())

const key = 'key-of-the-upstream'

interface Options {
  readonly behaviour?: 'succeed' | 'break'
  readonly override?: Override
  readonly limits?: Limits
}

function setUp({ behaviour = 'succeed', override, limits }: Options = {}) {
  server = messagesServer(behaviour, override)
  const inner = nativeUpstream({ name: 'ollama', baseUrl: `${server.url}/v1?x=secret-in-the-query`, key })
  const stack = createUpstreamStack({ upstream: inner, native: async () => inner })
  const upstreams = [{ name: 'ollama', isAnthropic: false, patterns: [], ...stack }]
  const ledger = memoryLedger()
  const budget = new Budget({ ledger, limits })
  const written: string[] = []
  const log = createLog(
    'info',
    { write: (text: string) => void written.push(text), isTerminal: false, columns: 80 },
    'simple',
  )
  const app = createApp({
    executor: fakeExecutor(),
    gateway: createGateway({ upstreams }),
    version: '0',
    budget,
    onUpstreamCall: (call) => logUpstreamCall(log, call),
    ...requestLog(log),
  })
  const ask = async (more: object = {}) => {
    const body = {
      model: 'qwen3',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'words-of-the-caller' }],
      ...more,
    }
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await app.fetch(new Request('http://127.0.0.1/v1/messages', init))
    return { status: response.status, text: await response.text() }
  }
  const get = async (path: string) => (await app.fetch(new Request(`http://127.0.0.1${path}`))).json()
  return { ask, get, written, rows: () => ledger.since(dayOf(Date.now())) }
}

const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
/** A reply whose model searches before it goes on. */
function callsSearch(): Response {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'web_search', input: { query: 'harbour seals' } }
  const usage = { input_tokens: 11, output_tokens: 7 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'qwen3', content: [use], usage }
  return Response.json({ ...message, stop_reason: 'tool_use', stop_sequence: null })
}

const ways = [{}, { stream: true }, { tools }, { tools, stream: true }]

describe('a reply of an upstream', () => {
  test.each(ways)(
    'is the one line of its request in the simple log, without a key and a word of the conversation: %j',
    async (more) => {
      const { ask, written } = setUp()
      expect((await ask(more)).status).toBe(200)
      expect(written.length).toBe(1)
      const line = written[0] ?? ''
      expect(line).toMatch(/^\[REQ\] http:\/\/127\.0\.0\.1:\d+\/v1 model=qwen3 in=11 out=7 tok\/s=[\d.]+\n$/)
      for (const secret of [key, 'secret', 'words', 'said']) expect(line).not.toContain(secret)
    },
  )

  test('that breaks off has a line of its own beside it, and is counted as a failure', async () => {
    const { ask, written, rows } = setUp({ behaviour: 'break' })
    expect((await ask({ stream: true })).text).toContain('event: error')
    expect(written).toEqual([
      expect.stringMatching(/^\[REQ\] /),
      expect.stringMatching(/^warning POST \/v1\/messages 200 .*code=unavailable /),
    ])
    expect(rows()).toMatchObject([{ requests: 1, failures: 1, outputTokens: 1 }])
  })

  test('that is refused has a line with its code, whoever is at fault', async () => {
    let calls = 0
    const { ask, written } = setUp({
      override: () => (calls++ > 0 ? new Response('', { status: 400 }) : callsSearch()),
    })
    expect((await ask({ tools })).status).toBe(400)
    expect(written).toEqual([
      expect.stringMatching(/^\[REQ\] /),
      expect.stringMatching(/^info POST \/v1\/messages 400 .*code=invalid-request /),
    ])
  })

  test('is a line of bounded length, whatever model its caller names', async () => {
    const { ask, written } = setUp()
    await ask({ model: `m\n[REQ] forged ${'x'.repeat(100_000)}` })
    expect(written.join('').length).toBeLessThan(500)
    expect(written.join('').trim().split('\n').length).toBe(1)
  })

  test.each(ways)('counts as tokens of its upstream, and as no search: %j', async (more) => {
    const { ask, rows, get } = setUp()
    await ask(more)
    await ask(more)
    const spent = { requests: 2, failures: 0, searches: 0, inputTokens: 22, outputTokens: 14 }
    expect(rows()).toMatchObject([{ caller: 'anonymous', backend: 'gateway/ollama', ...spent }])
    const { days } = await get('/v1/usage')
    expect(days[0].by_backend).toMatchObject({ 'gateway/ollama': { input_tokens: 22, output_tokens: 14 } })
  })

  test('that fails is counted as a failure', async () => {
    const { ask, rows } = setUp({ override: () => new Response('', { status: 400 }) })
    await ask()
    await ask({ stream: true })
    expect(rows()).toMatchObject([{ backend: 'gateway/ollama', requests: 2, failures: 2, inputTokens: 0 }])
  })
})

test("a search alone, which asks no model, is not among the upstream's requests", async () => {
  const { ask, rows, written } = setUp()
  const content = 'Perform a web search for the query: harbour seals'
  expect((await ask({ tools, messages: [{ role: 'user', content }] })).status).toBe(200)
  expect(rows()).toEqual([])
  expect(written.join('')).toMatch(/^info POST \/v1\/messages 200 [^\n]*\n$/)
})

test('a limit of tokens holds for models of upstreams too', async () => {
  const { ask } = setUp({ limits: { tokensPerDay: 20 } })
  expect((await ask()).status).toBe(200)
  expect((await ask({ stream: true })).status).toBe(200)
  const { status, text } = await ask()
  expect(status).toBe(429)
  expect(JSON.parse(text)).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } })
  expect(text).toContain('daily limit of 20 tokens')
  expect(server?.requests.length).toBe(2)
})

test('the health names each upstream, with the share of its input that a cache held', async () => {
  const usage = { input_tokens: 25, cache_read_input_tokens: 75, output_tokens: 1 }
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn', usage }
  const { ask, get } = setUp({ override: () => Response.json(message) })
  expect((await get('/health')).gateway).toEqual([{ name: 'ollama', ready: true }])
  await ask()
  expect((await get('/health')).gateway).toEqual([{ name: 'ollama', ready: true, cached_share: 0.75 }])
})
