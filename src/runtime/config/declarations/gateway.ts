import type { ProviderKind } from '@csp/gateway/chat-completions/provider'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { about, address, duration, plainAddress, secret, text } from '../setting-types.ts'

const gateway = { group: 'Gateway', commands: ['run'] } as const

/** The API of an upstream: the Messages API, chat completions, or OpenAI's Responses API. */
const upstreamShapes = ['auto', 'native', 'compatible', 'responses'] as const
export type UpstreamShape = (typeof upstreamShapes)[number]

/** The provider whose parameters a translated upstream gets, if its address does not show that. */
const providers = {
  openrouter: 'openrouter',
  openai: 'openai',
  ollama: 'ollama',
  other: 'other',
} as const satisfies { readonly [Kind in ProviderKind]: Kind }

/** `required`: Ollama must call a tool on a fresh turn. */
const toolRules = ['required', 'auto'] as const

const model = z.string().min(1)

/** Several: one after the other, until one begins to answer. */
const modelNames = z.union([model, z.tuple([model, model], model)], 'must be a name, or a list of two or more')

const models = z.record(z.string().min(1), modelNames, 'must map patterns to names: {"*haiku*": "qwen3:4b"}')

/** The entry of the list without an address. */
export const claudeUpstream = 'claude'

/** `null` takes a header out. */
const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e]*$/, 'must be text of one line')
  .nullable()

function checkHeaders(headers: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const name of Object.keys(headers)) {
    const isName = /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name)
    if (isName && !ownHeaders.has(name.toLowerCase())) continue
    const message = isName ? 'is set by csp: key has the key' : 'is not the name of a header'
    context.addIssue({ code: 'custom', path: [name], message })
  }
}

/** The key has a setting of its own, and HTTP sets the others. */
const ownHeaders = new Set([
  ...['authorization', 'proxy-authorization', 'x-api-key', 'cookie', 'host', 'content-length', 'content-type'],
  ...['content-encoding', 'transfer-encoding', 'connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect'],
])

function checkFields(body: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void {
  for (const name of Object.keys(body).filter((one) => ownFields.has(one)))
    context.addIssue({ code: 'custom', path: [name], message: 'comes from each request' })
}

const ownFields = new Set(['model', 'messages', 'input', 'stream', 'tools'])

function isGiven(value: unknown): boolean {
  return value !== undefined
}

const upstream = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9][a-z0-9.-]*$/, 'must be lower-case letters, digits, dots and dashes'),
    /** Absent: the Claude Code CLI, which serves the models of Claude that no other upstream has. */
    url: z.string().regex(plainAddress, 'must be an address such as http://localhost:11434/v1').optional(),
    key: z.string().min(1).optional(),
    /** Each is used until it is spent or limited. */
    keys: z.array(z.string().min(1)).min(2, 'must have two keys or more').optional(),
    'key-variable': z
      .string()
      .regex(/^[A-Za-z_]\w*$/, 'must be the name of a variable')
      .optional(),
    shape: z.enum(upstreamShapes).default('auto'),
    models: models.default({}),
    provider: z.enum(providers).optional(),
    tools: z.enum(toolRules).optional(),
    idle: duration(1).optional(),
    concurrency: z.int().min(1).max(1000).optional(),
    headers: z.record(z.string(), headerValue).superRefine(checkHeaders).optional(),
    body: z.record(z.string(), z.unknown()).superRefine(checkFields).optional(),
    vision: z
      .string()
      .regex(/^[a-z0-9][a-z0-9.-]*\/\S+$/, 'must be NAME/MODEL, a model of an upstream')
      .optional(),
    referer: z.string().min(1).optional(),
    title: z.string().min(1).optional(),
  })
  .refine(({ name, url }) => url !== undefined || name === claudeUpstream, { path: ['url'], error: 'is missing' })
  .refine(({ key, keys, 'key-variable': variable }) => [key, keys, variable].filter(isGiven).length < 2, {
    error: 'give one of key, keys and key-variable',
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
      help: 'Model servers of the gateway (upstreams); docs/gateway.md has examples',
      secret: true,
      isFlag: false,
    }),
  gatewayUrl: address('http://localhost:11434/v1')
    .optional()
    .register(about, {
      ...gateway,
      hint: 'URL',
      help: "Address of a model server for the gateway, with OpenAI's or Anthropic's API",
      isFlag: false,
      theirs: 'OPENAI_BASE_URL',
    }),
  gatewayKey: secret()
    .optional()
    .register(about, {
      ...gateway,
      hint: 'KEY',
      help: 'Key for that model server',
      secret: true,
      isFlag: false,
      theirs: 'OPENAI_API_KEY',
    }),
  gatewayOpus: modelFor('opus'),
  gatewaySonnet: modelFor('sonnet'),
  gatewayHaiku: modelFor('haiku'),
  gatewayTrace: text('the path of a file')
    .optional()
    .register(about, {
      ...gateway,
      hint: 'FILE',
      help: 'Log whole requests to model servers, and replies, to this file, without keys',
    }),
}

/** The model in place of one of Claude's sizes. */
function modelFor(size: string) {
  const theirs = `ANTHROPIC_DEFAULT_${size.toUpperCase()}_MODEL`
  return text('the name of a model')
    .optional()
    .register(about, {
      ...gateway,
      hint: 'MODEL',
      help: `Model of that server to use in place of ${size}`,
      isFlag: false,
      theirs,
    })
}
