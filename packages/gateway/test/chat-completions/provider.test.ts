import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { type ChatUpstreamOptions, chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { recogniseProvider } from '../../src/chat-completions/provider.ts'
import { type ChatRequest, openAiError, serveProvider } from '../support/strict-provider.ts'

test.each([
  ['https://openrouter.ai/api/v1', 'openrouter'],
  ['https://OpenRouter.AI/api/v1', 'openrouter'],
  ['https://api.openai.com/v1', 'openai'],
  ['HTTPS://API.OPENAI.COM/v1', 'openai'],
  ['http://localhost:11434/v1', undefined],
  ['http://LOCALHOST:1234', undefined],
  ['http://127.0.0.1:8080', undefined],
  ['http://[::1]:8080', undefined],
  ['http://ollama:11434/v1', undefined],
  ['http://192.168.1.7:11434', undefined],
  ['http://host.docker.internal:11434', undefined],
  ['https://10.example.com', 'other'],
  ['https://api.deepseek.com', 'other'],
  ['https://evil.example/?openrouter.ai', 'other'],
  ['https://openrouter.ai.evil.example/v1', 'other'],
  ['https://api.openai.com.evil.example', 'other'],
  ['http://localhost.evil.example', 'other'],
] as const)('The URL %s is one of the kind %s', (url, kind) => {
  expect(recogniseProvider(url)).toBe(kind)
})

const tools = [{ name: 'list', description: 'Lists files', input_schema: { type: 'object' } }]
const fresh: MessagesRequest = { model: 'm', max_tokens: 50, tools, messages: [{ role: 'user', content: 'hi' }] }

describe('The parameters of a provider', () => {
  test('are for OpenRouter reasoning and usage, and never reasoning_effort', async () => {
    const { body, headers } = await sentTo({ kind: 'openrouter', referer: 'https://a.example', title: 'A' }, fresh)
    expect(body).toMatchObject({
      reasoning: { enabled: true },
      usage: { include: true },
      stream_options: { include_usage: true },
      max_completion_tokens: 50,
    })
    expect(Object.keys(body)).not.toContain('reasoning_effort')
    expect([headers.get('http-referer'), headers.get('x-title')]).toEqual(['https://a.example', 'A'])
  })

  test('are for OpenAI reasoning_effort, medium unless asked for, and never a reasoning object', async () => {
    const { body, headers } = await sentTo({ kind: 'openai', referer: 'https://a.example', title: 'A' }, fresh)
    expect(body).toMatchObject({ reasoning_effort: 'medium', stream_options: { include_usage: true } })
    for (const foreign of ['reasoning', 'usage', 'max_tokens', 'tool_choice'])
      expect(Object.keys(body)).not.toContain(foreign)
    expect([headers.get('http-referer'), headers.get('x-title')]).toEqual([null, null])
    const { body: hard } = await sentTo({ kind: 'openai' }, { ...fresh, output_config: { effort: 'max' } })
    expect(hard.reasoning_effort).toBe('max')
  })

  test.each([
    [{ output_config: { effort: 'low' } }, 'low'],
    [{ output_config: { effort: 'max' } }, 'max'],
    [{ thinking: { type: 'disabled' } }, 'none'],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 5000 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, 'high'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 }, output_config: { effort: 'low' } }, 'low'],
    [{ thinking: { type: 'adaptive' } }, undefined],
  ] as const)('are the effort that the caller wants: %j', async (wanted, effort) => {
    for (const kind of ['ollama', 'other'] as const) {
      expect((await sentTo({ kind }, { ...fresh, ...wanted })).body.reasoning_effort).toBe(effort)
    }
    expect((await sentTo({ kind: 'openai' }, { ...fresh, ...wanted })).body.reasoning_effort).toBe(effort ?? 'medium')
    const { body } = await sentTo({ kind: 'openrouter' }, { ...fresh, ...wanted })
    expect(body.reasoning).toEqual(
      effort === 'none' ? { enabled: false } : { enabled: true, ...(effort && { effort }) },
    )
  })

  test('are the next effort where the model does not take one', async () => {
    const unsupported = (word: unknown) =>
      openAiError(400, `Unsupported value: '${word}'. Supported values are: 'low', 'medium', 'high'.`, {
        param: 'reasoning_effort',
        code: 'unsupported_value',
      })
    await using server = serveProvider({
      refuse: ({ reasoning_effort: word }) => (word === 'none' || word === 'minimal' ? unsupported(word) : undefined),
    })
    const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'openai' })
    const send = (more: Partial<MessagesRequest>) =>
      Array.fromAsync(upstream.send({ ...fresh, ...more }, { signal: new AbortController().signal }))
    await send({ thinking: { type: 'disabled' } })
    await send({ thinking: { type: 'disabled' } })
    await send({ output_config: { effort: 'high' } })
    expect(server.bodies.map((body) => body.reasoning_effort)).toEqual(['none', 'minimal', 'low', 'low', 'high'])
  })

  test('are for OpenAI a key of the session for its cache, which does not name the user', async () => {
    const request = { ...fresh, metadata: { user_id: 'user_secret_session_1' } }
    const { body } = await sentTo({ kind: 'openai' }, request)
    const { body: again } = await sentTo({ kind: 'openai' }, request)
    expect(body.prompt_cache_key).toMatch(/^[\da-f]{32}$/)
    expect(again.prompt_cache_key).toBe(body.prompt_cache_key)
    const { body: other } = await sentTo({ kind: 'other' }, request)
    expect(JSON.stringify([body, other])).not.toContain('secret')
    expect(Object.keys(other)).not.toContain('prompt_cache_key')
  })

  test('are for Ollama a tool that must be called, on a fresh turn only', async () => {
    expect((await sentTo({ kind: 'ollama' }, fresh)).body.tool_choice).toBe('required')
    const reminder = { role: 'system' as const, content: 'The date has changed.' }
    const reminded = { ...fresh, messages: [...fresh.messages, reminder] }
    expect((await sentTo({ kind: 'ollama' }, reminded)).body.tool_choice).toBe('required')
    const call = { type: 'tool_use', id: 'a', name: 'list', input: {} }
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'b.txt' }
    const after: MessagesRequest = {
      ...fresh,
      messages: [...fresh.messages, { role: 'assistant', content: [call] }, { role: 'user', content: [result] }],
    }
    expect((await sentTo({ kind: 'ollama' }, after)).body.tool_choice).toBe('auto')
    expect((await sentTo({ kind: 'ollama', requireTools: false }, fresh)).body.tool_choice).toBeUndefined()
    const chosen = { ...fresh, tool_choice: { type: 'none' } }
    expect((await sentTo({ kind: 'ollama' }, chosen)).body.tool_choice).toBe('none')
    const { tools: _, ...plain } = fresh
    expect((await sentTo({ kind: 'ollama' }, plain)).body.tool_choice).toBeUndefined()
  })

  test('are for Ollama and any other provider none of the big ones', async () => {
    for (const kind of ['ollama', 'other'] as const) {
      const { body } = await sentTo({ kind }, fresh)
      for (const foreign of ['reasoning', 'reasoning_effort', 'usage']) expect(Object.keys(body)).not.toContain(foreign)
    }
  })

  test.each(['openrouter', 'openai', 'ollama', 'other'] as const)(
    'are one limit of tokens for %s, and the other one where that is refused',
    async (kind) => {
      const first = kind === 'ollama' ? 'max_tokens' : 'max_completion_tokens'
      const second = kind === 'ollama' ? 'max_completion_tokens' : 'max_tokens'
      const sent: unknown[] = []
      await using server = serveProvider({
        refuse: (body) => {
          sent.push([body[first], body[second]])
          return first in body ? openAiError(400, `Invalid parameter: ${first}`) : undefined
        },
      })
      const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind })
      await Array.fromAsync(upstream.send(fresh, { signal: new AbortController().signal }))
      expect(sent).toEqual([
        [50, undefined],
        [undefined, 50],
      ])
    },
  )

  test('are the same whether the caller wants a stream or not', async () => {
    for (const kind of ['openrouter', 'openai', 'ollama', 'other'] as const) {
      const { body: streamed } = await sentTo({ kind }, { ...fresh, stream: true })
      const { body: whole } = await sentTo({ kind }, { ...fresh, stream: false })
      expect(streamed).toEqual(whole)
    }
  })
})

test('A key goes into the authorization, and a model goes by the name that the provider has for it', async () => {
  const { body, headers } = await sentTo({ kind: 'other', key: 'sk-1', headers: { 'x-own': '1' } }, fresh, 'qwen3')
  expect([headers.get('authorization'), headers.get('x-own')]).toEqual(['Bearer sk-1', '1'])
  expect(body.model).toBe('qwen3')
})

describe('A server on this machine', () => {
  const serverWith = (version: () => Response | undefined) => {
    const asked: string[] = []
    const bodies: Record<string, unknown>[] = []
    const fetchWith = async (url: string, init: RequestInit) => {
      asked.push(url)
      if (url.endsWith('/api/version')) return version() ?? Promise.reject(new Error('refused'))
      bodies.push(JSON.parse(String(init.body)))
      return Response.json({ choices: [{ message: { content: 'hi' }, finish_reason: 'stop' }] })
    }
    const upstream = chatUpstream({ name: 'x', baseUrl: 'http://localhost:8080/v1', fetch: fetchWith })
    const send = () => Array.fromAsync(upstream.send(fresh, { signal: new AbortController().signal }))
    return { asked, bodies, send }
  }

  test('is Ollama where it answers as Ollama, which is asked once', async () => {
    const { asked, bodies, send } = serverWith(() => Response.json({ version: '0.14.1' }))
    await send()
    await send()
    expect(asked.filter((url) => url.endsWith('/api/version'))).toEqual(['http://localhost:8080/api/version'])
    expect(bodies).toMatchObject([{ tool_choice: 'required', max_tokens: 50 }, { tool_choice: 'required' }])
  })

  test.each([
    ['has no such route', () => Response.json({ error: 'Not Found' }, { status: 404 })],
    ['is Open WebUI', () => Response.json({ version: '0.9.1', deployment_id: '' })],
    ['has 200 for every route', () => Response.json({ error: 'Unexpected endpoint' })],
    ['sends a page', () => new Response('<!doctype html>')],
    ['redirects', () => new Response(null, { status: 302, headers: { location: '/' } })],
  ])('is like any other where it %s', async (_name, version) => {
    const { asked, bodies, send } = serverWith(version)
    await send()
    await send()
    expect(asked).toHaveLength(3)
    for (const body of bodies) {
      expect(body).not.toContainKeys(['tool_choice'])
      expect(body).not.toContainKeys(['max_tokens'])
    }
  })

  test('is asked again where nothing answered', async () => {
    let isUp = false
    const { bodies, send } = serverWith(() => (isUp ? Response.json({ version: '0.14.1' }) : undefined))
    await send()
    isUp = true
    await send()
    expect(bodies.map((body) => body['tool_choice'])).toEqual([undefined, 'required'])
  })
})

async function sentTo(
  options: Partial<ChatUpstreamOptions>,
  request: MessagesRequest,
  model?: string,
): Promise<{ body: ChatRequest; headers: Headers }> {
  await using server = serveProvider()
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, ...options })
  await Array.fromAsync(upstream.send(request, { signal: new AbortController().signal, model }))
  const [body] = server.bodies
  const [headers] = server.headers
  if (!body || !headers) throw new Error('Nothing was sent.')
  return { body, headers }
}
