import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { type MessagesServer, messagesServer } from '../../packages/gateway/test/support/messages-server.ts'
import { type StrictResponses, serveResponses } from '../../packages/gateway/test/support/strict-responses.ts'
import { clientKey, type Edge, startEdge } from './support/edge.ts'
import { startSearxng } from './support/searxng.ts'

// The gateway in workerd: keys as secrets, search by a backend of the Worker.

let upstream: MessagesServer
let openai: StrictResponses
let edge: Edge
const searxng = startSearxng()
beforeAll(async () => {
  upstream = messagesServer('succeed', (body) => {
    const conversation = JSON.stringify(body['messages'] ?? '')
    if (!JSON.stringify(body['tools'] ?? '').includes('web_search') || conversation.includes('tool_result'))
      return undefined
    return Response.json({
      id: 'msg_call',
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [{ type: 'tool_use', id: 'call_1', name: 'web_search', input: { query: 'bees' } }],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  })
  openai = serveResponses({
    key: 'key-of-openai',
    reply({ input, tools = [] }) {
      if (input.at(-1)?.type === 'function_call_output') return { text: 'Bees hum [1].' }
      const calls = [{ id: 'call_1', name: 'web_search', json: '{"query":"bees"}' }]
      return tools.length > 0 ? { thoughts: ['Let me look.'], calls } : { text: 'Hello.' }
    },
  })
  edge = await startEdge({
    variables: {
      CSP_BACKENDS: 'searxng',
      CSP_SEARXNG_URL: searxng.url,
      // The first one writes at home alone.
      CSP_WRITERS: 'claude,openai/gpt-5',
      CSP_GATEWAY: JSON.stringify([
        { name: 'local', url: upstream.url, 'key-variable': 'LOCAL_KEY', models: { '*sonnet*': 'qwen3' } },
        { name: 'openai', url: openai.url, 'key-variable': 'OPENAI_KEY', shape: 'responses' },
      ]),
      LOCAL_KEY: 'key-of-the-upstream',
      OPENAI_KEY: 'key-of-openai',
    },
  })
})
afterAll(() => Promise.all([edge?.stop(), upstream?.stop(), openai?.[Symbol.asyncDispose](), searxng.stop()]))

const client = () => new Anthropic({ apiKey: clientKey, baseURL: edge.url, maxRetries: 0 })
const question = { model: 'claude-sonnet-5', max_tokens: 50, messages: [{ role: 'user' as const, content: 'bees?' }] }

describe('the gateway of the edge', () => {
  test('serves an upstream, whole and streamed, for one request after another', async () => {
    for (let round = 0; round < 3; round++) {
      const whole = await client().messages.create(question)
      const streamed = await client().messages.stream(question).finalMessage()
      for (const message of [whole, streamed]) {
        expect(message).toMatchObject({
          model: 'claude-sonnet-5',
          content: [{ type: 'text', text: 'You said: bees?' }],
        })
      }
    }
    const keys = upstream.requests.map(({ headers }) => headers.get('x-api-key'))
    expect(new Set(keys)).toEqual(new Set(['key-of-the-upstream']))
  })

  test('serves requests at the same time', async () => {
    const messages = await Promise.all(Array.from({ length: 8 }, () => client().messages.create(question)))
    expect(messages.map(({ stop_reason }) => stop_reason)).toEqual(Array.from({ length: 8 }, () => 'end_turn'))
  })

  test('searches by a backend of the Worker within the turn', async () => {
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    const { content } = await client().messages.create({ ...question, tools })
    expect(content.map(({ type }) => type).slice(0, 2)).toEqual(['server_tool_use', 'web_search_tool_result'])
    expect(JSON.stringify(content[1])).toContain('web_search_result')
  })

  test('writes over the pages that a backend of the Worker finds, one answer after another', async () => {
    for (const query of ['bees', 'wasps']) {
      const headers = { authorization: `Bearer ${clientKey}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'sonar-pro', messages: [{ role: 'user', content: query }] })
      const response = await fetch(`${edge.url}/chat/completions`, { method: 'POST', headers, body })
      expect(response.headers.get('x-csp-backend')).toBe('searxng')
      const said = await response.json()
      expect(said.choices[0].message.content).toBe('Hello.')
      expect(JSON.stringify(openai.bodies.at(-1))).toContain(`On ${query}`)
    }
    const usage = await (
      await fetch(`${edge.url}/v1/usage`, { headers: { authorization: `Bearer ${clientKey}` } })
    ).text()
    expect(usage).toContain('gateway/openai')
  })

  test("serves OpenAI's Responses API, and searches within its turn", async () => {
    const asked = { ...question, model: 'openai/gpt-5' }
    const { content } = await client().messages.stream(asked).finalMessage()
    expect(content).toMatchObject([{ type: 'text', text: 'Hello.' }])
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
    const searched = await client().messages.create({ ...asked, max_tokens: 2000, thinking, tools })
    expect(searched.content.map(({ type }) => type).slice(0, 4)).toEqual([
      'thinking',
      'server_tool_use',
      'web_search_tool_result',
      'text',
    ])
    const items = openai.bodies.at(-1)?.input.map(({ type }) => String(type))
    expect(items).toEqual(['message', 'reasoning', 'function_call', 'function_call_output'])
  })

  test('says which variable is missing, and needs a key of csp', async () => {
    const variables = { CSP_GATEWAY: '[{"name":"a","url":"https://api.a.example","key-variable":"A_KEY"}]' }
    await using broken = await startEdge({ variables })
    const reply = await fetch(`${broken.url}/v1/messages`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': clientKey },
    })
    expect((await reply.json()).error.message).toContain('set A_KEY')
    expect((await fetch(`${edge.url}/v1/messages`, { method: 'POST', body: JSON.stringify(question) })).status).toBe(
      401,
    )
  }, 30_000)
})
