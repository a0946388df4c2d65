import { describe, expect, test } from 'bun:test'
import { createApp } from '../../../src/app.ts'
import { answered, type ScriptedExecutor, scriptedExecutor } from '../../support/scripted-executor.ts'

const asking = { method: 'POST', headers: { 'content-type': 'application/json', 'x-csp-sandbox': 'error-429' } }

/** An app on an executor with these scenarios, and the contexts that it was asked with. */
function appWith(scenarios?: readonly string[]): {
  readonly app: ReturnType<typeof createApp>
  readonly executor: ScriptedExecutor
} {
  const executor = scriptedExecutor(() => answered)
  return { app: createApp({ executor: { ...executor, scenarios }, version: '1' }), executor }
}

const requests = {
  'csp search': ['/v1/search', { query: 'seals' }],
  'OpenAI chat': ['/v1/chat/completions', { model: 'sonar', messages: [{ role: 'user', content: 'Seals?' }] }],
  'OpenAI responses': ['/v1/responses', { model: 'sonar', input: 'Seals?' }],
  'Anthropic messages': [
    '/v1/messages',
    { model: 'claude-sonnet-5-5', max_tokens: 100, messages: [{ role: 'user', content: 'Seals?' }] },
  ],
  'Perplexity search': ['/search', { query: 'seals' }],
  Tavily: ['/tavily/search', { query: 'seals' }],
} as const

describe('the header x-csp-sandbox', () => {
  test.each(Object.entries(requests))('asks for a scenario of the sandbox in %s', async (_, [path, body]) => {
    const { app, executor } = appWith(['ok', 'error-429'])
    const response = await app.request(path, { ...asking, body: JSON.stringify(body) })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-csp-ignored') ?? '').not.toContain('x-csp-sandbox')
    expect(executor.calls.map(({ context }) => context.scenario)).toEqual(['error-429'])
  })

  test.each(Object.entries(requests))('is ignored and named in %s without a sandbox', async (_, [path, body]) => {
    const { app, executor } = appWith()
    const response = await app.request(path, { ...asking, body: JSON.stringify(body) })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-csp-ignored')).toContain('x-csp-sandbox')
    expect(executor.calls.map(({ context }) => context.scenario)).toEqual([undefined])
  })

  test.each(Object.entries(requests))(
    'with an unknown scenario is an error of %s that lists those that exist, and costs no search',
    async (_, [path, body]) => {
      const { app, executor } = appWith(['ok', 'error-500'])
      const response = await app.request(path, { ...asking, body: JSON.stringify(body) })
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(response.status).toBeLessThan(500)
      expect(await response.text()).toContain("The sandbox has no scenario 'error-429'. It has: ok, error-500")
      expect(executor.calls).toEqual([])
    },
  )

  test('is quoted in an error with eighty characters at most', async () => {
    const { app } = appWith(['ok'])
    const response = await app.request('/v1/search?q=a', { headers: { 'x-csp-sandbox': 'x'.repeat(81) } })
    expect(await response.text()).toContain(`no scenario '${'x'.repeat(80)}'`)
  })

  test('holds for a tool call over MCP', async () => {
    const { app, executor } = appWith(['error-429'])
    const call = { name: 'web_search', arguments: { query: 'seals' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    const headers = { ...asking.headers, accept: 'application/json, text/event-stream' }
    const response = await app.request('/mcp', { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    await response.text()
    expect(executor.calls.map(({ context }) => context.scenario)).toEqual(['error-429'])
  })
})
