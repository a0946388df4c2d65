import { afterAll, describe, expect, test } from 'bun:test'
import { longestTurn } from '@csp/testing/longest-turn'
import type { Executor } from '../../src/executor/executor.ts'
import { createStack } from '../../src/executor/layers/stack.ts'
import { messages, remote } from '../../src/library/backends.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { createConfiguredApp } from '../../src/runtime/server/create-app.ts'
import { upstreamSettings } from '../support/upstream-settings.ts'

// A server that sends megabytes at once, in events of a word each, does not keep all other callers waiting.

const count = 12_000
const maxMs = 50
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const usage = { input_tokens: 1, output_tokens: 1 }
const message = { type: 'message', id: 'm', role: 'assistant', model: 'm', content: [], stop_reason: null, usage }

const floods: Readonly<Record<string, string>> = {
  compatible: [
    data({ choices: [{ delta: { content: 'a ' } }] }).repeat(count),
    data({ choices: [{ delta: {}, finish_reason: 'stop' }] }),
  ].join(''),
  responses: [
    data({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', content: [] } }),
    data({ type: 'response.output_text.delta', output_index: 0, delta: 'a ' }).repeat(count),
    data({ type: 'response.completed', response: { status: 'completed', output: [] } }),
  ].join(''),
  native: [
    data({ type: 'message_start', message }),
    data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a ' } }).repeat(count),
    data({ type: 'content_block_stop', index: 0 }),
    data({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    data({ type: 'message_stop' }),
  ].join(''),
  csp: [
    data({ type: 'backend', name: 'claude' }),
    data({ type: 'text-delta', text: 'a ' }).repeat(count),
    data({ type: 'done', reason: 'stop', model: 'm', usage: { searches: 0, inputTokens: 1, outputTokens: 1 } }),
  ].join(''),
}

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) =>
    new Response(floods[new URL(url).pathname.split('/')[1] ?? ''], {
      headers: { 'content-type': 'text/event-stream' },
    }),
})
const url = `http://127.0.0.1:${server.port}`
afterAll(() => server.stop(true))

/** The longest turn of a csp that is sent the flood, and passes it on. */
async function longestOf(
  environment: Readonly<Record<string, string>>,
  executor: Executor,
  { path, body }: { readonly path: string; readonly body: object },
): Promise<number> {
  const { config } = loadConfig({}, { HOME: '/nowhere', ...environment }, '/')
  const gateway = createConfiguredGateway(config, {})
  const app = createConfiguredApp(config, createStack([executor], {}), () => {}, { gateway })
  const csp = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app(request) })
  try {
    return await longestTurn(async () => {
      const headers = { 'x-requested-with': 'test' }
      const reply = await fetch(`http://127.0.0.1:${csp.port}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers,
      })
      expect((await reply.text()).length).toBeGreaterThan(2 * count)
      expect(reply.status).toBe(200)
    }, maxMs)
  } finally {
    await csp.stop(true)
    await gateway?.close()
    await executor.close()
  }
}

const asked = { model: 'claude-sonnet-4-5', max_tokens: 90, messages: [{ role: 'user', content: 'hi' }] }

describe.each([['whole', false] as const, ['streamed', true] as const])('a reply that is %s', (_, stream) => {
  test.each(['native', 'compatible', 'responses'])('of an upstream of the shape %s', async (shape) => {
    const request = { path: '/v1/messages', body: { ...asked, stream } }
    expect(await longestOf(upstreamSettings(`${url}/${shape}`, shape), remote({ url }), request)).toBeLessThan(maxMs)
  })

  test.each([
    ['messages', () => messages({ apiKey: 'a-key-of-csp', url: `${url}/native` })],
    ['remote', () => remote({ url: `${url}/csp` })],
  ] as const)('of the backend %s', async (_name, backend) => {
    const request = { path: '/chat/completions', body: { ...asked, model: 'sonar', disable_search: true, stream } }
    expect(await longestOf({}, backend(), request)).toBeLessThan(maxMs)
  })
})
