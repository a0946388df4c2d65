import { type ContentBlock, isBlocks, type MessagesRequest } from '@csp/messages-api/request'
import type { Refusal, Refused } from '../translation/adapting.ts'
import { refusedByLine, refusedFeature, refusedValue, refuses, refusesImages } from '../translation/refusal.ts'
import { isPlaceholder } from '../translation/request/tools.ts'
import { isClientTool, runsAtVendor } from '../translation/request/vendor-tools.ts'

/** A request as it was sent, with the header that goes with it. */
export interface SentRequest {
  readonly request: MessagesRequest
  readonly beta: string | undefined
}

/** What a server that speaks the Messages API does not take, if its error says so. */
export function refusedByNative(
  refusal: Refusal,
  sent: SentRequest,
  without: ReadonlySet<string>,
): Refused | undefined {
  const { request } = sent
  const body = { ...request, stream: request.stream ?? false }
  const told =
    refusedByBeta(refusal, sent) ??
    refusedTag(refusal, body) ??
    refusedClientTool(refusal, body) ??
    refusedByLine(refusal, body, without, features)
  // They belong to another key, or to another model: the next conversation may have none of them.
  if (told) return told.feature === 'earlier-thoughts' ? { ...told, isOfModel: false } : told
  const value = refusedValue(refusal, { effort: request.output_config?.effort, hasSchema: false })
  if (value) return value
  const feature = refusedPath(refusal, request) ?? refusedFeature(refusal, body, [(words) => images(words, request)])
  return feature === undefined || fixed.includes(feature) ? undefined : { feature, isOfModel: true }
}

/** Without these there is no request, or it means another thing. */
const fixed: readonly string[] = ['max_tokens', 'system', 'tool_choice', 'mcp_servers']

/** What a line of the catalogue may name, and whether a request has it. */
const features: Readonly<Record<string, (request: MessagesRequest) => boolean>> = {
  'system-role': ({ messages }) => messages.some(({ role }) => role === 'system'),
  'tool-search': (request) =>
    (request.tools ?? []).some((tool) => 'defer_loading' in tool || isPlaceholder(tool.name)) ||
    hasBlock(request, ({ type }) => type.startsWith('tool_') && type !== 'tool_use' && type !== 'tool_result'),
  'adaptive-thinking': ({ thinking }) => thinking?.type === 'adaptive',
  'budget-thinking': ({ thinking }) => thinking?.type === 'enabled',
  'effort-unthinking': ({ thinking, output_config }) => thinking?.type === 'disabled' && output_config?.effort != null,
  'missing-thoughts': ({ thinking, messages }) =>
    thinking?.type !== 'disabled' && messages.some(({ role }) => role === 'assistant'),
  'earlier-thoughts': (request) => hasBlock(request, ({ type }) => type.endsWith('thinking')),
  'blank-text': (request) => hasBlock(request, ({ type, text }) => type === 'text' && String(text).trim() === ''),
  cache_control: (request) => JSON.stringify(request).includes('"cache_control"'),
}

function hasBlock({ messages }: MessagesRequest, test: (block: ContentBlock) => boolean): boolean {
  const has = (content: unknown): boolean =>
    isBlocks(content) && content.some((block) => test(block) || has(block['content']))
  return messages.some(({ content }) => has(content))
}

/** The beta that an error names, or all of them. */
function refusedByBeta({ understood, words }: Refusal, { beta }: SentRequest): Refused | undefined {
  if (understood?.meaning !== 'refuses' || understood.feature !== 'betas' || !beta) return undefined
  const named = beta.split(',').find((name) => words.message.includes(name.trim()))
  return { feature: named ? `beta:${named.trim()}` : 'betas', isOfModel: true }
}

/** A type of blocks or tools that a server does not know. */
function refusedTag({ understood }: Refusal, request: MessagesRequest): Refused | undefined {
  const { feature } = understood ?? {}
  const tag = feature?.startsWith('tag:') ? feature.slice('tag:'.length) : undefined
  if (feature === undefined || tag === undefined || always.includes(tag)) return undefined
  // Without it the answer would be another: the error says what the server does not have.
  if (request.tools?.some((tool) => tool.type === tag && runsAtVendor(tool))) return undefined
  return JSON.stringify(request).includes(`"type":"${tag}"`) ? { feature, isOfModel: true } : undefined
}

/** A tool without a schema, which only Claude knows by its type: servers miss its schema, or a description. */
function refusedClientTool({ failure, words }: Refusal, { tools }: MessagesRequest): Refused | undefined {
  const { message } = words
  const isAbout = tools?.some(
    (tool) => isClientTool(tool) && (/input_schema|tools?[.[]/.test(message) || message.includes(tool.type ?? '')),
  )
  return isAbout && (failure.status === 400 || failure.status === 422)
    ? { feature: 'client-tools', isOfModel: true }
    : undefined
}

const always: readonly string[] = ['text', 'tool_use', 'tool_result', 'custom']

/** A field within others, by the path that an error names: of tools, of blocks, or one level below the request. */
function refusedPath({ words }: Refusal, request: MessagesRequest): string | undefined {
  const path = words.param ?? /^[a-z_]+(?:\.[\w-]+)+(?=:)/.exec(words.message)?.[0]
  if (path === undefined || !refuses(words)) return undefined
  const names = path.split(/[.[\]]+/).filter((name) => name !== '' && !/^\d+$/.test(name))
  const [field = '', part] = names
  const last = names.at(-1)
  if (last === undefined || names.length < 2 || required.includes(last)) return undefined
  if (field === 'tools') return `tools.*.${last}`
  if (field === 'messages') return `blocks.*.${last}`
  const value = request[field]
  const isWithin = typeof value === 'object' && value !== null && part !== undefined && part in value
  return isWithin ? `${field}.${part}` : undefined
}

/** A tool or a block has to have these. */
const required: readonly string[] = [
  ...['type', 'role', 'content', 'text', 'name', 'input', 'id', 'tool_use_id', 'input_schema', 'source', 'thinking'],
]

function images(words: Refusal['words'], request: MessagesRequest): string | undefined {
  return refusesImages(words) && hasBlock(request, ({ type }) => type === 'image') ? 'images' : undefined
}
