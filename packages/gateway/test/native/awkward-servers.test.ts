import { describe, expect, test } from 'bun:test'
import { type MessagesRequest, messagesRequest } from '@csp/messages-api/request'
import { nativeUpstream } from '../../src/native/native.ts'
import { LearnedCapabilities } from '../../src/translation/capabilities.ts'
import { failureOf } from '../support/failure-of.ts'

type Sent = Record<string, unknown> & { readonly messages: readonly { role: string; content: unknown }[] }

const whole = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'x', content: [{ type: 'text', text: 'ok' }] },
  ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } },
}

type Refusal = { readonly status?: number; readonly body: unknown } | undefined

/** The bodies that a server got until one pleased it, and what came back. */
async function talk(
  refuse: (sent: Sent, beta: string | null) => Refusal,
  request: Partial<MessagesRequest>,
  { baseUrl = 'http://native.example', beta = '', capabilities = new LearnedCapabilities() } = {},
) {
  const sent: Sent[] = []
  const fetch = async (_: string, { body, headers }: RequestInit) => {
    const read: Sent = JSON.parse(String(body))
    sent.push(read)
    const refused = refuse(read, new Headers(headers).get('anthropic-beta'))
    return refused ? Response.json(refused.body, { status: refused.status ?? 400 }) : Response.json(whole)
  }
  const upstream = nativeUpstream({ name: 'n', baseUrl, capabilities, fetch })
  const headers = new Headers(beta ? { 'anthropic-beta': beta } : {})
  const asked = messagesRequest.parse({
    model: 'm',
    max_tokens: 32_000,
    messages: [{ role: 'user', content: 'hi' }],
    ...request,
  })
  const reply = upstream.forward(asked, { signal: new AbortController().signal, headers })
  const error = await reply.then(
    () => undefined,
    () => failureOf(reply),
  )
  return { sent, error, last: sent.at(-1) as Sent }
}

/** The error of a server, in the envelope of the Messages API or without. */
const says = (message: string, status = 400) => ({
  status,
  body: { type: 'error', error: { type: 'invalid_request_error', message } },
})

const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { cache_control: 'kept' } }
const conversation = [
  { role: 'user' as const, content: 'go' },
  { role: 'assistant' as const, content: [{ type: 'text', text: 'I look.' }, call] },
  { role: 'system' as const, content: 'Be brief.' },
  {
    role: 'user' as const,
    content: [
      { type: 'text', text: 'also' },
      { type: 'tool_result', tool_use_id: 't1', content: 'x' },
    ],
  },
]

test('A server gets a request as it is, until it refuses a part of it; then the next one has it no more', async () => {
  const capabilities = new LearnedCapabilities()
  const refuse = (sent: Sent) =>
    'context_management' in sent ? says('context_management: Extra inputs are not permitted') : undefined
  const request = { context_management: { edits: [] }, thinking: { type: 'adaptive' }, messages: conversation }
  const { sent } = await talk(refuse, request, { capabilities })
  expect(sent).toHaveLength(2)
  expect(sent[0]).toMatchObject(request)
  expect(sent[1]).toMatchObject({ thinking: { type: 'adaptive' }, messages: conversation })
  expect((await talk(refuse, request, { capabilities })).sent).toHaveLength(1)
})

test('The vendor’s own API gets each request as it is, and its errors go on in its own words', async () => {
  const message = 'messages: Unexpected role "system". prompt is too long'
  const { sent, error } = await talk(
    () => says(message),
    { messages: conversation },
    { baseUrl: 'https://api.anthropic.com' },
  )
  expect(sent).toHaveLength(1)
  expect(error).toMatchObject({ status: 400, message, type: 'invalid_request_error' })
})

describe('Messages of the system', () => {
  test.each([
    says('messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.'),
    says("request.messages.1.role: Invalid discriminator value. Expected 'user' | 'assistant'"),
    says('system message must be at the beginning', 500),
    says('Conversation roles must alternate user/assistant/user/assistant/...'),
    // github.com/ollama/ollama/issues/16372
    says('unknown variant `system`, expected `user` or `assistant`'),
    // github.com/Alishahryar1/free-claude-code/issues/616
    {
      status: 422,
      body: {
        detail: [
          {
            type: 'literal_error',
            loc: ['body', 'messages', 1, 'role'],
            msg: "Input should be 'user' or 'assistant'",
            input: 'system',
          },
        ],
      },
    },
    // github.com/EasyMetaAu/helm-api/pull/273
    says("messages.1: role 'system' must precede an 'assistant' message or end the array"),
    // github.com/deepseek-ai/awesome-deepseek-agent/issues/161
    says(
      'Failed to deserialize the JSON body into the target type: messages[1].role: unknown variant system, expected user or assistant',
    ),
    // github.com/icebear0828/codex-proxy/issues/615
    says(
      JSON.stringify([
        {
          ...{ received: 'system', code: 'invalid_enum_value', options: ['user', 'assistant'] },
          ...{
            path: ['messages', 9, 'role'],
            message: "Invalid enum value. Expected 'user' | 'assistant', received 'system'",
          },
        },
      ]),
    ),
    // github.com/bestruirui/octopus/issues/165
    { body: { error: { code: '1210', message: 'API 调用参数有误，请检查文档。' } } },
    // github.com/chaogei/Kiro-account-manager/issues/16
    {
      status: 500,
      body: {
        error: {
          message: 'API error 400: {"message":"Improperly formed request.","reason":null}',
          type: 'error',
          code: 500,
        },
      },
    },
    { body: { error: { type: 'invalid_request_error', message: 'Invalid request Error' } } },
  ])('become the user’s, behind the results of calls: %j', async (refusal) => {
    const { sent, last } = await talk(
      (body) => (body.messages.some(({ role }) => role === 'system') ? refusal : undefined),
      { messages: conversation },
    )
    expect(sent).toHaveLength(2)
    expect(last.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(last.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: 'x' },
      { type: 'text', text: '<system-reminder>\nBe brief.\n</system-reminder>' },
      { type: 'text', text: 'also' },
    ])
  })
})

describe('The search of tools', () => {
  const tools = [
    { name: 'Cron', defer_loading: true, input_schema: { type: 'object' } },
    { name: 'DeferredToolPlaceholder' },
  ]
  const messages = [
    ...conversation.slice(0, 2),
    {
      role: 'user' as const,
      content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'tool_reference', tool_name: 'Cron' }] }],
    },
  ]

  test.each([
    'Deferred custom tools are only supported on Anthropic models.',
    'Input tag tool_reference found using type does not match any of the expected tags: document, image, text',
    // github.com/anthropics/claude-code/issues/30995
    'failed to convert tool result content: unsupported content type in ContentBlockParamUnion: tool_reference',
    // github.com/anthropics/claude-code/issues/30912
    'The parameter messages.content.type specified in the request are not valid: invalid value: tool_reference, supported values are: text',
  ])('is told in words: %s', async (message) => {
    const has = (body: Sent) => /tool_reference|defer_loading|Placeholder/.test(JSON.stringify(body))
    const { sent, last } = await talk((body) => (has(body) ? says(message) : undefined), { tools, messages })
    expect(sent).toHaveLength(2)
    expect(JSON.stringify(last.messages)).toContain('The tool Cron can be called now.')
  })
})

describe('Thoughts', () => {
  const thinking = { type: 'adaptive' }
  const hasThought = ({ messages }: Sent) =>
    messages.some(({ role, content }) => role === 'assistant' && JSON.stringify(content).includes('"thinking"'))

  test('that are missing get a blank in their place', async () => {
    const refusal = says('The `content[].thinking` in the thinking mode must be passed back to the API.')
    const { sent } = await talk((body) => (hasThought(body) ? undefined : refusal), {
      messages: conversation,
      thinking,
    })
    expect(sent).toHaveLength(2)
  })

  test('that are missing and cannot be made up are not asked for', async () => {
    const refuse = (body: Sent) => {
      if (JSON.stringify(body['thinking']) === '{"type":"disabled"}') return undefined
      return says(
        hasThought(body)
          ? 'messages.1.content.0: Invalid `signature` in `thinking` block'
          : 'Expected `thinking` or `redacted_thinking`, but found `text`.',
      )
    }
    const { sent, error } = await talk(refuse, { messages: conversation, thinking })
    expect([sent.length, error]).toEqual([3, undefined])
  })

  test.each([
    says('messages.1.content.0: Invalid `signature` in `thinking` block'),
    // github.com/lbjlaq/Antigravity-Manager/issues/777
    {
      status: 429,
      body: {
        error: {
          message:
            'All 1 attempts failed. Last error: HTTP 400: {"error": {"message": "messages.3.content.0: Invalid `signature` in `thinking` block"}}',
          type: 'overloaded_error',
        },
      },
    },
    // github.com/intel/llm-scaler/issues/341
    {
      body: {
        error: {
          message:
            "56 validation errors:\n {'type': 'literal_error', 'loc': ('body', 'messages', 1, 'content', 'list[AnthropicContentBlock]', 0, 'type'), 'msg': \"Input should be 'text', 'image', 'tool_use' or 'tool_result'\", 'input': 'thinking'}",
        },
      },
    },
    // github.com/modelscope/modelscope/issues/1616
    {
      status: 422,
      body: {
        detail: [
          {
            type: 'string_type',
            loc: ['body', 'messages', 1, 'content', 'str'],
            msg: 'Input should be a valid string',
            input: [{ type: 'thinking' }],
          },
          {
            type: 'literal_error',
            loc: ['body', 'messages', 1, 'content', 0, 'type'],
            msg: "Input should be 'text'",
            input: 'thinking',
          },
        ],
      },
    },
  ])('of another model are left out, for this conversation: %j', async (refusal) => {
    const content = [{ type: 'thinking', thinking: 'Hm.', signature: 'abc' }, { type: 'text', text: 'I look.' }, call]
    const capabilities = new LearnedCapabilities()
    const messages = [conversation[0], { role: 'assistant', content }, conversation[3]] as MessagesRequest['messages']
    const { sent } = await talk(
      (body) => (hasThought(body) ? refusal : undefined),
      { messages, thinking },
      { capabilities },
    )
    expect(sent).toHaveLength(2)
    expect(await capabilities.refusedBy('http://native.example/messages', 'm')).toEqual([])
  })

  test('of before are left out where the model may not think now', async () => {
    // github.com/anthropics/claude-code/issues/7946
    const refusal = says(
      'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.',
    )
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'abc' },
      { type: 'text', text: 'a' },
    ]
    const messages = [conversation[0], { role: 'assistant', content }] as MessagesRequest['messages']
    const { sent } = await talk((body) => (hasThought(body) ? refusal : undefined), {
      messages,
      thinking: { type: 'disabled' },
    })
    expect(sent).toHaveLength(2)
  })

  test('that are told as a budget are told as an effort where only that is taken', async () => {
    // github.com/zhukunpenglinyutong/jetbrains-cc-gui/issues/1003
    const message =
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
    const refuse = ({ thinking: told }: Sent) => (JSON.stringify(told).includes('enabled') ? says(message) : undefined)
    const { last } = await talk(refuse, { thinking: { type: 'enabled', budget_tokens: 6000 } })
    expect(last).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } })
  })

  test('of a kind that the server does not know are told as a budget', async () => {
    const refuse = ({ thinking: told }: Sent) =>
      JSON.stringify(told).includes('adaptive')
        ? says("thinking.type: Input should be 'enabled' or 'disabled'")
        : undefined
    const { last } = await talk(refuse, { thinking, output_config: { effort: 'low' } })
    expect(last['thinking']).toEqual({ type: 'enabled', budget_tokens: 2048 })
    expect((await talk(refuse, { thinking, max_tokens: 1000 })).last['thinking']).toEqual({ type: 'disabled' })
  })

  test('that are off go without an effort where both are refused together', async () => {
    const refuse = ({ output_config: config }: Sent) =>
      config ? says('thinking options type cannot be disabled when reasoning_effort is set') : undefined
    const { sent } = await talk(refuse, { thinking: { type: 'disabled' }, output_config: { effort: 'high' } })
    expect(sent).toHaveLength(2)
  })

  test('are made with the next lower effort that is not refused', async () => {
    const refuse = ({ output_config: config }: Sent) =>
      JSON.stringify(config).includes('xhigh')
        ? {
            body: {
              error: {
                message: 'output_config.effort: expected `low`, `medium`, `high` or `max`, but got `xhigh` instead.',
                code: 'InvalidParameter',
              },
            },
          }
        : undefined
    const { last } = await talk(refuse, { output_config: { effort: 'xhigh', format: { type: 'text' } } })
    expect(last['output_config']).toEqual({ effort: 'high', format: { type: 'text' } })
  })
})

describe('What else is refused', () => {
  const cached = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' }, citations: [] }]
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } }
  const tool = { name: 'f', strict: true, input_schema: { type: 'object', properties: { a: { pattern: '\\d' } } } }
  const full = {
    ...{ system: cached, metadata: { user_id: 'u' }, tools: [tool], service_tier: 'auto' },
    messages: [
      { role: 'user' as const, content: [...cached, image, { type: 'text', text: ' ' }] },
      ...conversation.slice(1, 2),
    ],
  }

  test.each([
    ['metadata: Extra inputs are not permitted', ['"metadata"']],
    ["Unknown parameter: 'service_tier'", ['"service_tier"']],
    ['metadata.user_id: Extra inputs are not permitted', ['"user_id"']],
    // github.com/badrisnarayanan/antigravity-claude-proxy/issues/51: an error within the words of another
    [JSON.stringify(says('metadata.user_id: Extra inputs are not permitted').body), ['"user_id"']],
    ['tools.0.custom.strict: Extra inputs are not permitted', ['"strict"']],
    ['messages.0.content.0.text.citations: Extra inputs are not permitted', ['"citations"']],
    ['messages.0.content.0.cache_control: Extra inputs are not permitted', ['"ephemeral"']],
    // github.com/hotovo/aider-desk/issues/513
    ['A maximum of 4 blocks with cache_control may be provided. Found 5.', ['"ephemeral"']],
    // github.com/stdapi-ai/stdapi.ai/issues/24
    ['Malformed input request: #/messages/6/content/0: extraneous key [cachePoint] is not permitted', ['"ephemeral"']],
    [
      'The text field in the ContentBlock object at messages.0.content.2 is blank. Add text to the text field.',
      ['" "'],
    ],
    ['image input is not supported by this model', ['"image"']],
    ["Input tag 'image' found using 'type' does not match any of the expected tags: 'text'", ['"type":"image"']],
    ['failed to parse grammar', ['"pattern"']],
    ['E42', ['"metadata"', '"service_tier"', '"pattern"', '"ephemeral"', '" "']],
  ])('is left out: %s', async (message, parts) => {
    const has = (body: Sent) => parts.some((part) => JSON.stringify(body).includes(part))
    const { sent, last } = await talk((body) => (has(body) ? says(message) : undefined), full)
    expect(sent).toHaveLength(2)
    expect(JSON.stringify(last)).toContain('{"cache_control":"kept"}')
    expect(JSON.stringify(last)).toContain('"type":"tool_use"')
  })

  test.each([
    ['Unexpected value(s) `b-2` for the `anthropic-beta` header.', 'a-1,c-3'],
    ['invalid beta flag', null],
  ])('of the betas is one, or all of them: %s', async (message, left) => {
    const betas: (string | null)[] = []
    const refuse = (_: Sent, beta: string | null) => {
      betas.push(beta)
      return beta?.includes('b-2') ? says(message) : undefined
    }
    await talk(refuse, {}, { beta: 'a-1,b-2,c-3' })
    expect(betas).toEqual(['a-1,b-2,c-3', left])
  })

  test('cannot be what a request needs', async () => {
    for (const message of ['messages: Extra inputs are not permitted', 'max_tokens is not supported'])
      expect((await talk(() => says(message), full)).sent.length).toBeLessThanOrEqual(2)
  })
})

describe('A limit of tokens', () => {
  test.each([
    ['max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for this model', 8192],
    ['input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000, decrease input length', 20_000],
  ])('is kept to: %s', async (message, limit) => {
    const { sent } = await talk(({ max_tokens: asked }) => (Number(asked) > limit ? says(message) : undefined), {})
    expect(sent.map(({ max_tokens }) => max_tokens)).toEqual([32_000, limit])
  })

  test.each([
    [
      { error: { code: 400, message: 'request (50000 tokens) exceeds the available context size (40000 tokens)' } },
      400,
    ],
    [
      { error: { message: 'the request exceeds the available context size', n_prompt_tokens: 50_000, n_ctx: 40_000 } },
      500,
    ],
  ])('that the prompt exceeds is told in words that start a compaction: %j', async (body, status) => {
    const { error } = await talk(() => ({ status, body }), {})
    expect(error).toMatchObject({
      status: 400,
      message: expect.stringContaining('prompt is too long: 50000 tokens > 40000 maximum'),
    })
  })
})

test.each([0, undefined])(
  'A request for %p tokens, and a set of tools without a name, are passed on',
  async (max_tokens) => {
    const tools = [{ type: 'mcp_toolset', mcp_server_name: 's' }] as unknown as MessagesRequest['tools']
    const { last } = await talk(() => undefined, { max_tokens, tools })
    expect(last).toMatchObject({ tools, ...(max_tokens !== undefined && { max_tokens }) })
    expect(
      messagesRequest.safeParse({ model: 'm', messages: [{ role: 'user', content: 'a' }], tools: [{ type: 'custom' }] })
        .success,
    ).toBe(false)
  },
)
