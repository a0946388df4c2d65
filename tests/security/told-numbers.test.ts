import { afterAll, describe, expect, test } from 'bun:test'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { collect } from '../../src/domain/answer.ts'
import { parseCliLine } from '../../src/executor/backends/claude/worker/events.ts'
import { usageFrom } from '../../src/executor/backends/claude/worker/usage.ts'
import { readWireEvent } from '../../src/executor/wire/schemas.ts'
import { messages, searxng } from '../../src/library/backends.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { requestFor } from '../support/fake-executor.ts'
import { upstreamSettings } from '../support/upstream-settings.ts'

// What a server says that it has counted enters budgets, the log and metrics: it is a number there, and a possible one.

const odd: readonly string[] = ['-5e15', '-1', '1e308', '1e999', '"many"', 'null', '{}', '2.5', '9007199254740993']

/** JSON whose every `N` is such a number. */
const filled = (value: unknown, number: string) => JSON.stringify(value).replaceAll('"N"', number)

const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'N']))
const counts = named(['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'])
const usage = {
  ...counts,
  ...named(['prompt_tokens', 'completion_tokens', 'prompt_cache_hit_tokens']),
  prompt_tokens_details: named(['cached_tokens', 'cache_write_tokens']),
  completion_tokens_details: named(['reasoning_tokens']),
  input_tokens_details: named(['cached_tokens', 'cache_write_tokens']),
  output_tokens_details: named(['reasoning_tokens']),
}
const message = {
  ...{ type: 'message', id: 'm', role: 'assistant', model: 'm', stop_reason: null, stop_sequence: null },
  usage: counts,
  content: [],
}
const text = { type: 'text', text: 'Hello.' }
const replies: Readonly<Record<string, { readonly events: readonly unknown[]; readonly whole: unknown }>> = {
  native: {
    events: [
      { type: 'message_start', message },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: counts },
      { type: 'message_stop' },
    ],
    whole: { ...message, content: [text], stop_reason: 'end_turn' },
  },
  compatible: {
    events: [{ choices: [{ delta: { content: 'Hello.' }, finish_reason: 'stop' }] }, { choices: [], usage }],
    whole: { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }], usage },
  },
  responses: {
    events: [
      {
        type: 'response.completed',
        response: {
          status: 'completed',
          output: [{ type: 'message', content: [{ ...text, type: 'output_text' }] }],
          usage,
        },
      },
    ],
    whole: { status: 'completed', output: [{ type: 'message', content: [{ ...text, type: 'output_text' }] }], usage },
  },
}

let reply = (): Response => new Response()
const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => reply() })
const url = `http://127.0.0.1:${server.port}`
afterAll(() => server.stop(true))

const stream = (events: readonly unknown[], number: string) =>
  new Response(events.map((event) => `data: ${filled(event, number)}\n\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
const whole = (value: unknown, number: string) =>
  new Response(filled(value, number), { headers: { 'content-type': 'application/json' } })

/** The numbers in a value that no count can be. */
function impossible(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value <= 1e10 ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(impossible) : []
}

const asked = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user' as const, content: 'hi' }] }

describe.each(Object.keys(replies))('an upstream of the shape %s', (shape) => {
  test.each(odd)('that has counted %s tokens', async (number) => {
    const environment = { HOME: '/nowhere', ...upstreamSettings(url, shape) }
    const gateway = createConfiguredGateway(loadConfig({}, environment, '/').config, {})
    const [to] = gateway?.upstreams ?? []
    const calls: UpstreamCall[] = []
    const trace = {
      note() {},
      answered: ({ milliseconds: _, ...call }: UpstreamCall) => calls.push({ ...call, milliseconds: 0 }),
    }
    const context = { signal: new AbortController().signal, trace }
    const { events = [], whole: value } = replies[shape] ?? {}
    for (const made of [() => stream(events, number), () => whole(value, number)]) {
      reply = made
      const sent = await Array.fromAsync(to?.upstream.send(asked, context) ?? [])
      expect(sent.length).toBeGreaterThan(4)
      expect(impossible(sent)).toEqual([])
      const native = await to?.native()
      await (await native?.forward({ ...asked, stream: true }, context))?.text()
      await (await native?.forward(asked, context))?.text()
    }
    expect(calls.length).toBe(shape === 'native' ? 6 : 2)
    expect(impossible(calls)).toEqual([])
    reply = () => whole({ input_tokens: 'N' }, number)
    const counted = await to?.upstream.countTokens?.(asked, context)
    expect(impossible(counted)).toEqual([])
    expect(to?.health?.().cachedShare ?? 0).toBeWithin(0, 1.001)
    await gateway?.close()
  })
})

describe('a backend', () => {
  test.each(odd)('of the Messages API that has counted %s tokens', async (number) => {
    reply = () => stream(replies['native']?.events ?? [], number)
    const executor = messages({ apiKey: 'a-key-of-csp', url })
    const { signal } = new AbortController()
    const { usage: spent } = await collect(executor.search(requestFor('hi', { want: 'text' }), { signal }))
    expect(impossible(spent)).toEqual([])
    await executor.close()
  })

  test.each(odd)('of SearXNG that gives a score of %s', async (number) => {
    reply = () => whole({ results: [{ url: 'https://a.example/', title: 'A', content: 'b', score: 'N' }] }, number)
    const executor = searxng({ url, requestsPerSecond: 0 })
    const { signal } = new AbortController()
    const { searches } = await collect(executor.search(requestFor('seals'), { signal }))
    expect(searches[0]?.results[0]?.score ?? 0).toBeWithin(0, 1e9 + 1)
    await executor.close()
  })

  test.each(odd)('that is another csp and has counted %s', (number) => {
    const told = { searches: 'N', inputTokens: 'N', outputTokens: 'N' }
    const event = readWireEvent(JSON.parse(filled({ type: 'done', reason: 'stop', usage: told, model: 'm' }, number)))
    expect(impossible(event)).toEqual([])
  })

  test.each(odd)('that is the CLI and has counted %s tokens', (number) => {
    const line = { type: 'result', subtype: 'success', is_error: false, result: '', stop_reason: null, usage }
    const event = parseCliLine(filled(line, number))
    expect(event).toBeDefined()
    expect(impossible(event)).toEqual([])
  })

  test.each(odd)('that is the CLI and has used so much of a window: %s', (number) => {
    const info = { status: 'allowed', utilization: 'N', unifiedWindows: { week: { utilization: 'N' } } }
    const event = parseCliLine(filled({ type: 'rate_limit_event', rate_limit_info: info }, number))
    expect(event).toBeDefined()
    const limits = { rate_limits_available: true, rate_limits: { five_hour: { utilization: 'N', resets_at: null } } }
    const all = [event, usageFrom(JSON.parse(filled(limits, number)))]
    const shares = JSON.stringify(all).matchAll(/"utilization":([^,}]+)/g)
    for (const [, share] of shares) expect(Number(share)).toBeWithin(0, 1001)
  })
})
