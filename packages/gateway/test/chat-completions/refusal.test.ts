import { describe, expect, test } from 'bun:test'
import { refusedByChat } from '../../src/chat-completions/refusal.ts'
import type { ChatBody } from '../../src/chat-completions/request/body.ts'
import { effortFeature } from '../../src/translation/request/thinking.ts'
import { nothing, refusalOf } from '../support/refusal-of.ts'

const body: ChatBody = {
  model: 'm',
  stream: true,
  messages: [
    { role: 'system', content: 'You are.' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }] },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ],
  max_completion_tokens: 32_000,
  temperature: 0,
  reasoning_effort: 'medium',
  reasoning: { enabled: true },
  usage: { include: true },
  stream_options: { include_usage: true },
  stop: ['a'],
  parallel_tool_calls: false,
}

const openAi = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
})

describe('A refusal is seen', () => {
  test.each([
    [
      'OpenAI, a parameter',
      400,
      openAi(
        "Unsupported parameter: 'max_completion_tokens' is not supported with this model.",
        'max_completion_tokens',
        'unsupported_parameter',
      ),
      'max_completion_tokens',
    ],
    [
      'OpenAI, an old server',
      400,
      openAi('Unrecognized request argument supplied: reasoning_effort'),
      'reasoning_effort',
    ],
    [
      'OpenAI, a value',
      400,
      openAi(
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
        'temperature',
        'unsupported_value',
      ),
      'temperature',
    ],
    [
      'OpenAI, beside tools',
      400,
      openAi('Function tools with reasoning_effort are not supported for this model.'),
      'reasoning_effort',
    ],
    ['OpenAI, stop', 400, openAi("Unsupported parameter: 'stop' is not supported with this model.", 'stop'), 'stop'],
    ['a parameter without words', 400, openAi('Bad request', 'stream_options.include_usage'), 'stream_options'],
    [
      'FastAPI',
      422,
      {
        detail: [
          { type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted' },
        ],
      },
      'max_completion_tokens',
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning'), 'msg': 'Extra inputs are not permitted'}]",
      },
      'reasoning',
    ],
    ['Mistral', 422, { message: { detail: [] }, detail: 'Unknown parameter: stream_options' }, 'stream_options'],
    [
      'OpenRouter, of the provider behind it',
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: '{"error":{"message":"Unsupported parameter: \'temperature\'","param":"temperature"}}' },
        },
      },
      'temperature',
    ],
    ['plain text', 400, 'unknown field "parallel_tool_calls"', 'parallel_tool_calls'],
    [
      'a server that gives 500',
      500,
      { error: { code: 500, message: 'Unsupported param: reasoning_effort' } },
      'reasoning_effort',
    ],
    [
      'the system role',
      400,
      openAi("Unsupported value: 'messages[0].role' does not support 'system' with this model.", 'messages[0].role'),
      'system-role',
    ],
    [
      'a role that only its place names',
      400,
      openAi("Unsupported value: 'system' is not supported here.", 'messages[0].role'),
      'system-role',
    ],
    [
      'Gemma at Google',
      400,
      [{ error: { code: 400, message: 'Developer instruction is not enabled for models/gemma-3-27b-it' } }],
      'system-role',
    ],
    [
      'the tool role',
      400,
      openAi("'tool' is not one of ['system', 'assistant', 'user', 'function'] - 'messages.3.role'"),
      'tool-role',
    ],
    ['images at OpenAI', 400, openAi('Invalid content type. image_url is only supported by certain models.'), 'images'],
    [
      'images at OpenRouter',
      404,
      { error: { message: 'No endpoints found that support image input', code: 404 } },
      'images',
    ],
    [
      'images at llama.cpp',
      500,
      {
        error: {
          code: 500,
          message: 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
        },
      },
      'images',
    ],
    ['images at vLLM', 400, { message: 'At most 0 image(s) may be provided in one prompt.' }, 'images'],
    [
      'images at DeepSeek',
      422,
      { error: { message: 'messages[1]: unknown variant `image_url`, expected `text`' } },
      'images',
    ],
    ['a server that gives 415', 415, openAi('Unsupported parameter: temperature'), 'temperature'],
    ['an unnamed server', 400, openAi('Invalid parameter: max_completion_tokens'), 'max_completion_tokens'],
    ['a gateway between', 403, { message: 'max_completion_tokens is not allowed here' }, 'max_completion_tokens'],
    ['a proxy', 502, { error: 'upstream said: Unknown parameter: max_completion_tokens' }, 'max_completion_tokens'],
    [
      'another envelope',
      422,
      { errors: [{ field: 'max_completion_tokens', reason: 'unknown' }], msg: 'unknown field max_completion_tokens' },
      'max_completion_tokens',
    ],
    [
      'xAI',
      400,
      { code: 'Client specified an invalid argument', error: 'Argument not supported on this model: stop' },
      'stop',
    ],
    [
      'xAI, in its own spelling',
      400,
      { code: 'invalid-argument', error: 'Model grok-4-1-fast does not support parameter reasoningEffort.' },
      'reasoning_effort',
    ],
    ['an earlier thought', 400, openAi("Unsupported field 'reasoning_content' in messages"), 'earlier-thoughts'],
  ] as const)('of %s', (_name, status, said, expected) => {
    expect(refusedByChat(refusalOf(status, said), body, nothing)?.feature).toBe(expected)
    expect(refusedByChat(refusalOf(status, JSON.stringify(said)), body, nothing)?.feature).toBe(expected)
  })
})

describe('No refusal is', () => {
  test.each([
    [
      'a limit that is too large',
      400,
      openAi(
        'max_completion_tokens is too large: 32000. This model supports at most 16384 completion tokens.',
        'max_completion_tokens',
        'invalid_value',
      ),
    ],
    ['an invalid value of the older name', 400, openAi('invalid max_completion_tokens: exceeds the limit of 8192')],
    [
      'a value above its bounds',
      400,
      openAi("Invalid 'temperature': decimal above maximum value. Expected a value <= 2.", 'temperature'),
    ],
    [
      'a prompt that is too long',
      400,
      openAi("This model's maximum context length is 8192 tokens.", 'messages', 'context_length_exceeded'),
    ],
    ['too many stop sequences', 400, openAi("Invalid 'stop': array too long.", 'stop')],
    ['a key without this right', 403, openAi('You may not use this model', 'temperature')],
    ['a gateway without its upstream', 502, 'Bad Gateway'],
    ['such a gateway that names a parameter', 502, openAi('Bad Gateway', 'temperature')],
    ['a wrong key', 401, openAi('temperature is not supported', 'temperature')],
    ['a rate limit', 429, openAi('reasoning is not supported at this rate', 'reasoning')],
    ['an overloaded server', 503, openAi('Unsupported parameter: temperature', 'temperature')],
    ['an unknown model', 404, openAi('The model `m` does not exist', null, 'model_not_found')],
    ['a parameter that was not sent', 400, openAi('Unsupported parameter: top_k', 'top_k')],
    ['what the request cannot do without', 400, openAi('Unsupported parameter: messages', 'messages')],
    ['a mention without a refusal', 400, openAi('I like the temperature.')],
    ['a common word', 400, openAi('We had to stop: this usage is not supported.')],
    ['a system that is not one of the roles', 400, openAi('This operation is not supported by our system.')],
    ['a mention of a role without a refusal', 400, openAi('The role system comes first.')],
    ['nothing at all', 500, ''],
  ] as const)('%s', (_name, status, said) => {
    expect(refusedByChat(refusalOf(status, said), body, nothing)).toBeUndefined()
  })

  test.each([
    [{ enabled: false }, 'none'],
    [{ enabled: true, effort: 'max' }, 'max'],
    [{ enabled: true }, undefined],
  ])('a value of an effort that was not asked for: %j', (reasoning, effort) => {
    const said = refusalOf(400, openAi('Reasoning is mandatory: effort is one of low, high'))
    const { reasoning_effort: _, ...rest } = body
    const feature = effort === undefined ? undefined : effortFeature(effort)
    expect(refusedByChat(said, { ...rest, reasoning }, nothing)?.feature).toEqual(feature)
  })

  test('a role or an image that the request does not have', () => {
    const plain: ChatBody = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }
    const refusals = [
      "'tool' is not one of ['user'] - 'messages.0.role'",
      "role 'system' is not supported",
      'image input is not supported',
    ]
    expect(refusals.map((message) => refusedByChat(refusalOf(400, openAi(message)), plain, nothing))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
