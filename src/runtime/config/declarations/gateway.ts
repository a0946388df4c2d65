import { z } from 'zod'
import { parseJson } from '../../../lib/json.ts'
import { about, address, choice, duration, plainAddress, secret, text, toggle } from '../setting-types.ts'

const gateway = { group: 'Gateway', commands: ['models', 'run'] } as const

/** How an upstream is spoken to: by the Messages API, chat completions, or OpenAI's Responses API. */
export const upstreamShapes = ['auto', 'native', 'compatible', 'responses'] as const

/** Whose parameters a translated upstream gets, where its address does not say that. */
const providers = ['openrouter', 'openai', 'ollama', 'other'] as const

/** Whether Ollama must call a tool on a fresh turn. */
const toolRules = ['required', 'auto'] as const

const model = z.string().min(1)

/** Several: one after the other, until one begins to answer. */
const modelNames = z.union([model, z.tuple([model, model], model)], 'must be a name, or a list of two or more')

const models = z.record(z.string().min(1), modelNames, 'must map patterns to names: {"*haiku*": "qwen3:4b"}')

const upstream = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be lower-case letters, digits, dots and dashes'),
    url: z.string().regex(plainAddress, 'must be an address such as http://localhost:11434/v1'),
    key: z.string().min(1).optional(),
    'key-variable': z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
      .optional(),
    shape: z.enum(upstreamShapes).default('auto'),
    models: models.default({}),
    provider: z.enum(providers).optional(),
    tools: z.enum(toolRules).optional(),
    concurrency: z.int().min(1).max(1000).optional(),
    referer: z.string().min(1).optional(),
    title: z.string().min(1).optional(),
  })
  .refine((value) => !(value.key !== undefined && value['key-variable'] !== undefined), {
    error: 'give either key or key-variable',
  })

/** As JSON where it is a variable, as a Worker has it. */
function upstreamList() {
  const error = 'must be a list such as [{"name": "ollama", "url": "http://localhost:11434"}]'
  const isDistinct = (all: readonly { readonly name: string }[]) =>
    new Set(all.map(({ name }) => name)).size === all.length
  return z.preprocess(
    (value) => (typeof value === 'string' ? parseJson(value) : value),
    z.array(upstream, error).refine(isDistinct, 'must have a name of its own for each'),
  )
}

/** Models of other providers behind `/v1/messages`. */
export const gatewayFields = {
  gateway: upstreamList()
    .default([])
    .register(about, {
      ...gateway,
      hint: 'LIST',
      help: 'Upstreams of the gateway: see docs/gateway.md',
      secret: true,
      isFlag: false,
    }),
  gatewayUrl: address('http://localhost:11434/v1')
    .optional()
    .register(about, {
      ...gateway,
      hint: 'URL',
      help: 'An upstream for /v1/messages, OpenAI- or Anthropic-shaped; else OPENAI_BASE_URL',
      alias: 'OPENAI_BASE_URL',
    }),
  gatewayKey: secret()
    .optional()
    .register(about, {
      ...gateway,
      hint: 'KEY',
      help: 'Its key; else OPENAI_API_KEY',
      secret: true,
      isFlag: false,
      alias: 'OPENAI_API_KEY',
    }),
  gatewayShape: choice(...upstreamShapes)
    .default('auto')
    .register(about, {
      ...gateway,
      hint: 'SHAPE',
      help: 'Its API: native, compatible or responses; auto finds out',
    }),
  gatewayTools: choice(...toolRules)
    .default('required')
    .register(about, {
      ...gateway,
      hint: toolRules.join('|'),
      help: 'Whether Ollama must call a tool on a fresh turn of the user',
    }),
  gatewayOpus: modelFor('opus'),
  gatewaySonnet: modelFor('sonnet'),
  gatewayHaiku: modelFor('haiku'),
  gatewayClaude: toggle()
    .default(false)
    .register(about, {
      ...gateway,
      help: 'Serve the Claude models that no upstream has by the Claude Code CLI',
    }),
  gatewayTrace: text('the path of a file')
    .optional()
    .register(about, {
      ...gateway,
      hint: 'FILE',
      help: 'Write whole requests to upstreams and their replies there, without keys; for debugging',
    }),
  gatewayTimeout: duration(0)
    .default(3600)
    .register(about, {
      ...gateway,
      hint: 'TIME',
      help: 'Longest time for one request, with its searches and tries; 0 for no limit',
    }),
  gatewayIdle: duration(1)
    .default(600)
    .register(about, {
      ...gateway,
      hint: 'TIME',
      help: 'How long an upstream may send nothing, before and within its reply',
    }),
}

/** What stands for one of Claude's sizes. */
function modelFor(size: string) {
  const alias = `ANTHROPIC_DEFAULT_${size.toUpperCase()}_MODEL`
  const help = `Its model for ${size}; else ${alias}`
  return text('the name of a model')
    .optional()
    .register(about, { ...gateway, hint: 'MODEL', help, alias })
}
