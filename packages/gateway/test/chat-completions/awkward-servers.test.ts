import { describe, expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { type ChatUpstreamOptions, chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { exchange } from '../support/provider-stream.ts'
import { chunk, openAiError, serveProvider } from '../support/strict-provider.ts'

const tools = [{ name: 'Bash', input_schema: { type: 'object', properties: { command: { type: 'string' } } } }]
const afterCall: MessagesRequest = {
  model: 'm',
  thinking: { type: 'adaptive' },
  tools,
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }] },
  ],
}

type Body = Record<string, unknown>

/** Sends a request to a server that refuses it until its body pleases. */
async function bodiesUntilTaken(
  refuse: (body: Body) => Response | undefined,
  request: MessagesRequest,
  kind: ChatUpstreamOptions['kind'] = 'other',
) {
  await using server = serveProvider({ refuse })
  const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind })
  await foldMessage(upstream.send(request, { signal: new AbortController().signal }))
  return server.bodies as unknown as readonly Body[]
}

const messagesOf = (body: Body) => body['messages'] as readonly Body[]
const answersOf = (body: Body) => messagesOf(body).filter(({ role }) => role === 'assistant')

describe('A model that wants the thought of each of its messages', () => {
  test.each([
    'The `reasoning_content` in the thinking mode must be passed back to the API.',
    'Missing reasoning_content field in the assistant message at message index 2.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  ])('gets a blank where none is known: %s', async (message) => {
    const lacks = (body: Body) => answersOf(body).some(({ reasoning_content: thought }) => !thought)
    const bodies = await bodiesUntilTaken((body) => (lacks(body) ? openAiError(400, message) : undefined), afterCall)
    expect(bodies).toHaveLength(2)
  })

  test('gets it in the field of OpenRouter there', async () => {
    const raw = '{"error":{"message":"thinking is enabled but reasoning_content is missing in assistant message"}}'
    const refuse = (body: Body) =>
      answersOf(body).some(({ reasoning: thought }) => !thought)
        ? Response.json({ error: { message: 'Provider returned error', metadata: { raw } } }, { status: 400 })
        : undefined
    expect(await bodiesUntilTaken(refuse, afterCall, 'openrouter')).toHaveLength(2)
  })
})

test('A model that wants a signature with each call gets the mark that stands for one', async () => {
  const isMarked = (body: Body) => JSON.stringify(answersOf(body)).includes('"thought_signature"')
  const refused = openAiError(400, 'Function call is missing a thought_signature in functionCall parts.')
  expect(await bodiesUntilTaken((body) => (isMarked(body) ? undefined : refused.clone()), afterCall)).toHaveLength(2)
})

describe('The schema of a tool', () => {
  const asking = (property: object): MessagesRequest => ({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'f', input_schema: { type: 'object', properties: { pattern: property } } }],
  })
  const propertyOf = (body: Body | undefined) => {
    const [tool] = (body?.['tools'] ?? []) as readonly { function: { parameters: { properties: Body } } }[]
    return tool?.function.parameters.properties['pattern']
  }
  const without = (keyword: string, message: string) => (body: Body) =>
    keyword in (propertyOf(body) as Body) ? openAiError(400, message) : undefined

  test.each([
    ['pattern', { type: 'string', pattern: '^\\d' }, 'Failed to initialize samplers: failed to parse grammar'],
    ['pattern', { type: 'string', pattern: 'a' }, "Pattern must start with '^' and end with '$'"],
    ['propertyNames', { type: 'string', propertyNames: {} }, 'Unknown name "propertyNames" at \'tools[0]\''],
    ['minLength', { type: 'string', minLength: 1 }, 'Unsupported JSON schema keyword: minLength'],
  ])(
    'goes without the keyword %s that is refused, and keeps a property of that name',
    async (keyword, given, message) => {
      const bodies = await bodiesUntilTaken(without(keyword, message), asking(given))
      expect(bodies.map(propertyOf)).toEqual([given, { type: 'string' }])
    },
  )

  test('keeps a constant as the only value', async () => {
    const bodies = await bodiesUntilTaken(without('const', 'Unknown name "const"'), asking({ const: 'x' }))
    expect(propertyOf(bodies[1])).toEqual({ enum: ['x'] })
  })

  test('becomes the plainest where its keywords are refused one after the other, or nothing is named', async () => {
    const full = {
      type: ['null', 'string'],
      enum: ['a', 'b'],
      description: 'd',
      ...{ a1: 1, a2: 2, a3: 3, a4: 4, a5: 5 },
    }
    const first = (body: Body) => Object.keys(propertyOf(body) as Body).find((name) => /^a\d$/.test(name))
    const bodies = await bodiesUntilTaken((body) => {
      const name = first(body)
      return name ? openAiError(400, `Unknown name "${name}": Cannot find field.`) : undefined
    }, asking(full))
    expect(propertyOf(bodies.at(-1))).toEqual({ type: 'string', enum: ['a', 'b'], description: 'd' })
    expect(bodies).toHaveLength(5)
    const refuse = (body: Body) =>
      'a1' in (propertyOf(body) as Body)
        ? openAiError(400, 'The grammar contains features that are not supported.')
        : undefined
    expect(await bodiesUntilTaken(refuse, asking(full))).toHaveLength(2)
  })
})

test('A word for an effort that is refused is the next lower one', async () => {
  const refuse = ({ reasoning_effort: effort }: Body) =>
    effort === 'low'
      ? undefined
      : openAiError(400, `Invalid value: '${effort}'. Supported values are: 'low'.`, { param: 'reasoning_effort' })
  const bodies = await bodiesUntilTaken(refuse, { ...afterCall, output_config: { effort: 'xhigh' } })
  expect(bodies.map(({ reasoning_effort }) => reasoning_effort)).toEqual(['xhigh', 'high', 'medium', 'low'])
})

test('No tokens at all, which warms the vendor’s own cache, are one', async () => {
  const [body] = await bodiesUntilTaken(() => undefined, { ...afterCall, max_tokens: 0 })
  expect(body?.['max_completion_tokens']).toBe(1)
})

describe('Tools that were found', () => {
  const found = (content: readonly { type: string }[]): MessagesRequest => ({
    ...afterCall,
    messages: [
      ...afterCall.messages.slice(0, 2),
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
    ],
  })

  test('are told in words', async () => {
    const reference = { type: 'tool_reference', tool_name: 'CronList' }
    const [body] = await bodiesUntilTaken(() => undefined, found([reference]))
    expect(messagesOf(body ?? {}).find(({ role }) => role === 'tool')?.['content']).toContain('CronList')
  })

  test('and what nobody knows is told as it is', async () => {
    const [body] = await bodiesUntilTaken(
      () => undefined,
      found([{ type: 'resource_link', uri: 'file:///a' } as { type: string }]),
    )
    expect(messagesOf(body ?? {}).find(({ role }) => role === 'tool')?.['content']).toContain('file:///a')
  })

  test('are offered until the system takes them away, and a place that is kept for them is not', async () => {
    const named = (name: string) => ({ type: 'tool_reference', name })
    const [body] = await bodiesUntilTaken(() => undefined, {
      ...afterCall,
      tools: [...tools, { name: 'Gone' }, { name: 'Back' }, { name: 'DeferredToolPlaceholder' }],
      messages: [
        ...afterCall.messages,
        { role: 'system', content: ['Gone', 'Back'].map((name) => ({ type: 'tool_removal', tool: named(name) })) },
        { role: 'system', content: [{ type: 'tool_addition', tool: named('Back') }] },
      ],
    })
    const offered = (body?.['tools'] ?? []) as readonly { function: { name: string } }[]
    expect(offered.map((tool) => tool.function.name)).toEqual(['Bash', 'Back'])
  })
})

describe('The end of a reply', () => {
  const ending = (reason: string) => exchange([chunk({ content: 'Part of it' }), chunk({}, reason), '[DONE]'])

  test.each([
    ['insufficient_system_resource'],
    ['network_error'],
    ['abort'],
    ['MALFORMED_FUNCTION_CALL'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL'],
  ])('%s is a failure: half a reply is not taken for whole', async (reason) => {
    await expect(ending(reason)).rejects.toMatchObject({ status: 502 })
  })

  test.each([
    ['MAX_TOKENS', 'max_tokens'],
    ['model_length', 'model_context_window_exceeded'],
    ['sensitive', 'refusal'],
    ['content_filter: PROHIBITED_CONTENT', 'refusal'],
    ['eos', 'end_turn'],
    ['a new word', 'end_turn'],
  ])('%s is %s', async (reason, expected) => {
    expect((await ending(reason)).message.stop_reason as string).toBe(expected)
  })
})

describe('An error in the middle of a stream', () => {
  test.each([
    [{ object: 'error', message: 'boom', type: 'InternalServerError', param: null, code: 500 }, 500],
    [{ code: 500, message: 'boom' }, 500],
    [{ type: 'error', message: 'boom' }, 502],
    [{ error_code: 336000, error_msg: 'Internal error' }, 500],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529],
    [{ id: 'x', choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 402],
    [{ success: false, message: 'boom' }, 502],
  ])('is seen in the form %j', async (piece, status) => {
    await expect(exchange([chunk({ content: 'Half a sen' }), piece, '[DONE]'])).rejects.toMatchObject({ status })
  })

  test.each([
    { base_resp: { status_code: 0, status_msg: '' } },
    { error: {} },
    { code: 0, message: '' },
    { usage: { prompt_tokens: 1 }, code: 'x', message: 'y' },
  ])('is none in %j', async (piece) => {
    const { message } = await exchange([chunk({ content: 'a' }), piece, chunk({}, 'stop'), '[DONE]'])
    expect(message.content).toEqual([{ type: 'text', text: 'a' }])
  })
})

describe('A prompt that does not fit', () => {
  test.each([
    // github.com/langgenius/dify/issues/19394
    ['length of prompt_tokens (57535) must be less than max_seq_len (32768).', 57_535, 32_768],
    // github.com/FoundationAgents/OpenManus/issues/935
    [
      'InternalError.Algo.InvalidParameter: Input tokens length is 39618. Output tokens length is 8192. Range of total length should be less than or equal to 32768',
      39_618,
      32_768,
    ],
    ['The prompt is too long: 203557, model maximum context length: 196607', 203_557, 196_607],
  ])('starts a compaction: %s', async (message, prompt, context) => {
    const reply = Response.json({ code: 20015, message, data: null }, { status: 400 })
    const words = `prompt is too long: ${prompt} tokens > ${context} maximum`
    await expect(exchange(reply)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(words) })
  })
})

describe('A reply in an odd form', () => {
  const bash = (...pieces: readonly string[]) =>
    pieces.map((json) => chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'Bash', arguments: json } }] }))

  test('has its thought, whatever the field', async () => {
    for (const field of ['reasoning_text', 'thinking']) {
      const { message } = await exchange([chunk({ [field]: 'Hm' }), chunk({ content: 'ok' }), chunk({}, 'stop')])
      expect(message.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    }
  })

  test('has the arguments of a call once, also where each piece tells all of them again', async () => {
    const { message } = await exchange([...bash('{"comm', '{"command":', '{"command":"ls"}'), chunk({}, 'tool_calls')])
    expect(message.content).toMatchObject([{ name: 'Bash', input: { command: 'ls' } }])
  })

  test('is the first of several that nobody asked for', async () => {
    const said = (index: number, content: string) => ({ choices: [{ index, delta: { content } }] })
    const { message } = await exchange([said(1, 'B'), said(0, 'A'), chunk({}, 'stop')])
    expect(message.content).toEqual([{ type: 'text', text: 'A' }])
  })
})

describe('A file', () => {
  const sentWith = async (block: { type: string; [field: string]: unknown }) => {
    const [body] = await bodiesUntilTaken(() => undefined, {
      model: 'm',
      messages: [{ role: 'user', content: [block] }],
    })
    return messagesOf(body ?? {})[0]?.['content']
  }

  test('of words is read as them, and one that is somewhere else is named', async () => {
    const document = (media_type: string, data: string) => ({
      type: 'document',
      source: { type: 'base64', media_type, data },
    })
    expect(await sentWith(document('text/plain', btoa('hello words')))).toBe('hello words')
    expect(await sentWith(document('text/plain', 'no base64'))).toContain('cannot be shown')
    expect(await sentWith({ type: 'container_upload', file_id: 'file_1' })).toContain('file_1')
  })
})

describe('A spent account', () => {
  test.each([
    // github.com/pollinations/pollinations/issues/12136
    [412, { error: { message: 'Account a is suspended, possibly due to reaching the monthly spending limit' } }],
    [429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } }],
    [429, { error: { code: '1113', message: 'Insufficient balance or no resource package.' } }],
    [429, { error: { type: 'exceeded_current_quota_error', message: 'Please recharge.' } }],
    [429, { code: 'Some resource', error: 'Your team has used all available credits.' }],
    [402, { error: { message: 'Insufficient Balance' } }],
    [400, { error: { message: 'Your account does not have a valid CodingPlan subscription' } }],
  ])('is told as one, and not asked again: %i %j', async (status, body) => {
    const failure = { status: 402, type: 'billing_error' }
    await expect(exchange(Response.json(body, { status }))).rejects.toMatchObject(failure)
  })

  test.each([
    [413, 'Request too large for model on tokens per minute (TPM): Limit 6000. Please try again in 450ms.', 429, 1],
    [403, 'Rate limit exceeded. Please retry after 2 min.', 429, 120],
    [503, 'Too many requests, retry after 7', 503, 7],
    [400, 'Too many tokens, please wait before trying again.', 429, undefined],
  ])('is not one that only has to wait: %i %s', async (status, message, told, retryAfterSeconds) => {
    const failure = { status: told, retryAfterSeconds }
    await expect(exchange(Response.json({ error: { message } }, { status }))).rejects.toMatchObject(failure)
  })

  test.each([
    'Your request was flagged: it violates our usage policies.',
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum',
  ])('nor is one that no other form of the request would change, which is asked once: %s', async (message) => {
    await using server = serveProvider({ refuse: () => openAiError(400, message) })
    const upstream = chatUpstream({ name: 'x', baseUrl: server.url, kind: 'other' })
    const reply = foldMessage(upstream.send(afterCall, { signal: new AbortController().signal }))
    await expect(reply).rejects.toMatchObject({ status: 400 })
    expect(server.bodies).toHaveLength(1)
  })

  test('is a limit where it may be asked soon', async () => {
    const words = { error: { message: 'You exceeded your current quota. Please retry in 33.2s.' } }
    const limited = { status: 429, retryAfterSeconds: 34 }
    await expect(exchange(Response.json(words, { status: 429 }))).rejects.toMatchObject(limited)
    const spent = { error: { message: 'You exceeded your current quota.' } }
    const soon = Response.json(spent, { status: 429, headers: { 'retry-after': '60' } })
    await expect(exchange(soon)).rejects.toMatchObject({ status: 429 })
  })
})
