import { describe, expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { type ChatUpstreamOptions, chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { type CapabilityStore, capabilityKey, LearnedCapabilities } from '../../src/translation/capabilities.ts'
import { openAiError, type StrictProvider, saying, serveProvider } from '../support/strict-provider.ts'

const request: MessagesRequest = {
  model: 'claude-opus-5',
  max_tokens: 1000,
  temperature: 0.5,
  system: 'You are.',
  messages: [{ role: 'user', content: 'hi' }],
}

/** Refuses these parameters as OpenAI does, one at a time. */
function refusing(...names: readonly string[]) {
  return (body: Record<string, unknown>): Response | undefined => {
    const name = names.find((each) => each in body)
    if (name === undefined) return undefined
    const message = `Unsupported parameter: '${name}' is not supported with this model.`
    return openAiError(400, message, { param: name, code: 'unsupported_parameter' })
  }
}

describe('A limit of tokens', () => {
  const tried = (server: StrictProvider) =>
    server.bodies.map((body) => Object.keys(body).filter((name) => /^max_/.test(name)))

  test('has the newer name first, then the older one, then none', async () => {
    await using newer = serveProvider()
    await send(newer)
    expect(tried(newer)).toEqual([['max_completion_tokens']])
    await using older = serveProvider({ refuse: refusing('max_completion_tokens') })
    await send(older)
    expect(tried(older)).toEqual([['max_completion_tokens'], ['max_tokens']])
    expect(older.bodies[1]?.max_tokens).toBe(1000)
    await using none = serveProvider({ refuse: refusing('max_completion_tokens', 'max_tokens') })
    await send(none)
    expect(tried(none)).toEqual([['max_completion_tokens'], ['max_tokens'], []])
  })

  test('that is too large is never taken for a refused parameter', async () => {
    const message = 'max_completion_tokens is too large: 1000.'
    await using server = serveProvider({ refuse: () => openAiError(400, message, { param: 'max_completion_tokens' }) })
    await expect(send(server)).rejects.toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(server.bodies).toHaveLength(1)
  })

  test.each([
    'max_tokens is too large: 1000. This model supports at most 500 completion tokens, whereas you provided 1000.',
    'Invalid max_tokens value, the valid range of max_tokens is [1, 500]',
    '`max_completion_tokens` must be less than or equal to `500`, the maximum value for `max_completion_tokens`',
    'max_tokens: 1000 > 500, which is the maximum allowed number of output tokens',
  ])('becomes the one that the provider tells, and is remembered for the model: %s', async (message) => {
    const capabilities = new LearnedCapabilities()
    const refuse = (body: Record<string, unknown>) =>
      Number(body['max_completion_tokens']) > 500 ? openAiError(400, message) : undefined
    await using server = serveProvider({ refuse })
    await send(server, { capabilities })
    await send(server, { capabilities })
    await send(server, { capabilities }, { ...request, max_tokens: 300 })
    expect(server.bodies.map((body) => body.max_completion_tokens)).toEqual([1000, 500, 500, 300])
  })

  test.each([
    "'max_tokens' is too large: 1000. This model's maximum context length is 1200 tokens and your request has 500 input tokens.",
    "This model's maximum context length is 1200 tokens. However, you requested 1500 tokens (500 in the messages, 1000 in the completion).",
  ])('becomes what the prompt leaves of the context, for this request: %s', async (message) => {
    const capabilities = new LearnedCapabilities()
    const refuse = (body: Record<string, unknown>) =>
      Number(body['max_completion_tokens']) > 700 ? openAiError(400, message) : undefined
    await using server = serveProvider({ refuse })
    await send(server, { capabilities })
    expect(server.bodies.map((body) => body.max_completion_tokens)).toEqual([1000, 700])
    expect(await capabilities.refusedBy(server.url, 'claude-opus-5')).toEqual(['context>1200'])
  })

  test('cannot help where the prompt fills the context', async () => {
    const message =
      "This model's maximum context length is 1200 tokens. However, you requested 2100 tokens (1100 in the messages, 1000 in the completion)."
    await using server = serveProvider({ refuse: () => openAiError(400, message) })
    await expect(send(server)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^prompt is too long/),
    })
    expect(server.bodies).toHaveLength(1)
  })
})

describe('What a model refuses', () => {
  test('is left out, piece by piece, before a byte of the reply goes out', async () => {
    await using server = serveProvider({ refuse: refusing('reasoning_effort', 'stream_options', 'temperature') })
    const { message, notes } = await send(server, { kind: 'openai' })
    expect(message.content).toEqual([{ type: 'text', text: 'Hello.' }])
    const [last] = server.bodies.slice(-1)
    expect(Object.keys(last ?? {}).sort()).toEqual(['max_completion_tokens', 'messages', 'model', 'stream'])
    expect(server.bodies).toHaveLength(4)
    expect(notes).toEqual([
      'MISS',
      'refused reasoning_effort, asked again without',
      'refused stream_options, asked again without',
      'refused temperature, asked again without',
      'learned, without reasoning_effort, stream_options, temperature',
    ])
  })

  test('may be told in a reply of 200, before its content', async () => {
    const error = { message: 'Unsupported parameter: temperature', param: 'temperature', code: 400 }
    await using server = serveProvider({
      reply: (body) => (body.temperature === undefined ? [...saying('Yes.')] : [{ error }]),
    })
    expect((await send(server)).message.content).toEqual([{ type: 'text', text: 'Yes.' }])
  })

  test('is remembered by base URL and model, and asked for again when that has expired', async () => {
    let now = 0
    const capabilities = new LearnedCapabilities({ ttlSeconds: 60, now: () => now })
    await using server = serveProvider({ refuse: refusing('temperature') })
    expect((await send(server, { capabilities })).notes.at(-1)).toBe('learned, without temperature')
    expect((await send(server, { capabilities })).notes).toEqual(['HIT, without temperature'])
    expect(server.bodies).toHaveLength(3)
    expect((await send(server, { capabilities }, { ...request, model: 'other' })).notes[0]).toBe('MISS')
    await using elsewhere = serveProvider()
    expect((await send(elsewhere, { capabilities })).notes).toEqual(['MISS', 'learned'])
    expect(elsewhere.bodies[0]?.temperature).toBe(0.5)
    now = 60_000
    expect((await send(server, { capabilities })).notes[0]).toBe('MISS')
  })

  test('is kept in the store, where another process finds it', async () => {
    const store = memoryStore()
    await using server = serveProvider({ refuse: refusing('temperature') })
    await send(server, { capabilities: new LearnedCapabilities({ store }) })
    const key = await capabilityKey(server.url, 'claude-opus-5')
    expect(store.values.get(key)).toEqual({ baseUrl: server.url, model: 'claude-opus-5', refused: ['temperature'] })
    expect(store.ttls).toEqual([604_800])
    const { notes } = await send(server, { capabilities: new LearnedCapabilities({ store }) })
    expect(notes).toEqual(['HIT, without temperature'])
  })

  test('is not remembered before the request without it has worked', async () => {
    const store = memoryStore()
    const capabilities = new LearnedCapabilities({ store })
    const refuse = (body: Record<string, unknown>) =>
      refusing('temperature')(body) ?? openAiError(500, 'Out of memory.')
    await using server = serveProvider({ refuse })
    await expect(send(server, { capabilities })).rejects.toMatchObject({ status: 500 })
    expect(store.values.size).toBe(0)
    expect(await capabilities.refusedBy(server.url, 'claude-opus-5')).toBeUndefined()
  })

  test('is asked for once more only: a provider that refuses everything gets an end', async () => {
    await using server = serveProvider({ refuse: () => openAiError(400, 'Unsupported.', { param: 'temperature' }) })
    await expect(send(server)).rejects.toMatchObject({ status: 400 })
    expect(server.bodies).toHaveLength(2)
  })

  test('can be the roles of messages, and images', async () => {
    const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const conversation: MessagesRequest = {
      ...request,
      messages: [
        { role: 'user', content: [png] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
      ],
    }
    const refuse = ({ messages }: Record<string, unknown>) => {
      const sent = JSON.stringify(messages)
      if (sent.includes('"system"'))
        return openAiError(400, "Unsupported value: 'messages[0].role' does not support 'system'.")
      if (sent.includes('"role":"tool"')) return openAiError(400, "'tool' is not one of ['user'] - 'messages.2.role'")
      return sent.includes('image_url') ? openAiError(404, 'No endpoints found that support image input') : undefined
    }
    await using server = serveProvider({ refuse })
    const { notes } = await send(server, {}, conversation)
    expect(notes.at(-1)).toBe('learned, without system-role, tool-role, images')
    expect(server.bodies.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })
})

test('A store that fails is noted, and harms no call', async () => {
  const store: CapabilityStore = {
    get: () => Promise.reject(new Error('disk')),
    set: () => Promise.reject(new Error('disk')),
  }
  await using server = serveProvider({ refuse: refusing('temperature') })
  const { message, notes } = await send(server, { capabilities: new LearnedCapabilities({ store }) })
  expect(message.stop_reason).toBe('end_turn')
  expect(notes).toContain('cannot be read')
  expect(notes).toContain('cannot be kept')
})

test('What a store holds of another model, or of another form, counts for nothing', async () => {
  const store = memoryStore()
  const capabilities = new LearnedCapabilities({ store })
  store.values.set(await capabilityKey('http://a', 'm'), { baseUrl: 'http://b', model: 'm', refused: ['temperature'] })
  expect(await capabilities.refusedBy('http://a', 'm')).toBeUndefined()
  store.values.set(await capabilityKey('http://a', 'm'), { baseUrl: 'http://a', model: 'm', refused: 'all' })
  expect(await capabilities.refusedBy('http://a', 'm')).toBeUndefined()
})

async function send(
  server: StrictProvider,
  options: Partial<ChatUpstreamOptions> = {},
  what: MessagesRequest = request,
) {
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'other', ...options })
  const notes: string[] = []
  const note = (message: string) => notes.push(message.replace(/^capabilities of .*: /, ''))
  const trace = { note, answered: () => {} }
  const message = await foldMessage(upstream.send(what, { signal: new AbortController().signal, trace }))
  return { message, notes }
}

function memoryStore(): CapabilityStore & { readonly values: Map<string, unknown>; readonly ttls: number[] } {
  const values = new Map<string, unknown>()
  const ttls: number[] = []
  return {
    values,
    ttls,
    get: async (key) => values.get(key) ?? null,
    set: async (key, value, { ttl }) => {
      values.set(key, value)
      ttls.push(ttl)
    },
  }
}

test('What is known of models has a bound, since their names come from callers', async () => {
  const capabilities = new LearnedCapabilities()
  const learn = (model: string) => capabilities.learn({ baseUrl: 'http://x.example', model, refused: ['top_k'] })
  await learn('first')
  expect(await capabilities.refusedBy('http://x.example', 'first')).toEqual(['top_k'])
  for (let count = 0; count < 1000; count++) await learn(`model-${count}`)
  expect(await capabilities.refusedBy('http://x.example', 'first')).toBeUndefined()
  expect(await capabilities.refusedBy('http://x.example', 'model-999')).toEqual(['top_k'])
})

test('A model is asked eight times at most, each time for what its last refusal allows', async () => {
  let limit = 900
  await using server = serveProvider({
    refuse: () =>
      openAiError(400, `max_tokens is too large. This model supports at most ${limit--} completion tokens.`),
  })
  await expect(send(server)).rejects.toMatchObject({ status: 400 })
  expect(server.bodies.map((body) => body.max_completion_tokens)).toEqual([1000, 900, 899, 898, 897, 896, 895, 894])
})

test('What is known of a model is told to the log', async () => {
  await using server = serveProvider({ refuse: refusing('temperature') })
  const capabilities = new LearnedCapabilities()
  const told = async (model: string, more: Partial<MessagesRequest> = {}) => {
    const notes: string[] = []
    const trace = { note: (message: string) => notes.push(message), answered() {} }
    const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'other', capabilities })
    await foldMessage(upstream.send({ ...request, ...more, model }, { signal: new AbortController().signal, trace }))
    return notes.flatMap((note) => note.split(`capabilities of ${model} at ${server.url}: `).slice(1))
  }
  const without = 'without temperature'
  expect(await told('a')).toEqual(['MISS', 'refused temperature, asked again without', `learned, ${without}`])
  expect(await told('a')).toEqual([`HIT, ${without}`])
  expect(await told('b', { temperature: null })).toEqual(['MISS', 'learned'])
  expect(await told('b', { temperature: null })).toEqual(['HIT'])
})
