import { type ContentBlock, isBlocks, type MessagesRequest } from '@csp/messages-api/request'
import type { RequestForm } from '../translation/adapting.ts'
import { plainerSchema } from '../translation/request/schemas.ts'
import { effortOf, nextEffort } from '../translation/request/thinking.ts'
import { foundTool, isPlaceholder } from '../translation/request/tools.ts'
import { reminderOf } from '../translation/request/turns.ts'
import { isClientTool, toolFunction } from '../translation/request/vendor-tools.ts'

type Message = MessagesRequest['messages'][number]
type Tool = NonNullable<MessagesRequest['tools']>[number]
type Without = ReadonlySet<string>

/** A request in the form that a server takes, by what it has refused. One that has refused nothing gets it as it is. */
export function adapted(request: MessagesRequest, { without: refused, maxTokens }: RequestForm): MessagesRequest {
  const limit = request.max_tokens ?? Number.POSITIVE_INFINITY
  if (refused.size === 0 && limit <= maxTokens) return request
  const without = refused.has('plain') ? new Set([...refused, ...optionalFeatures, ...unusual(request)]) : refused
  const fields = Object.entries(request).filter(([name]) => !without.has(name))
  const { messages, tools, ...rest } = Object.fromEntries(fields) as MessagesRequest
  const asked: MessagesRequest = {
    ...rest,
    ...(limit > maxTokens && { max_tokens: maxTokens }),
    ...(tools && { tools: toolsFor(tools, without) }),
    messages: messagesFor(messages, without),
  }
  const thinking = withThinking(asked, without)
  return without.has('cache_control') ? withoutField(thinking, 'cache_control') : withoutParts(thinking, without)
}

/** The beta headers that a server takes. */
export function adaptedBetas(beta: string | undefined, without: Without): string | undefined {
  if (!beta || without.has('betas') || without.has('plain')) return undefined
  const kept = beta.split(',').filter((name) => !without.has(`beta:${name.trim()}`))
  return kept.join(',') || undefined
}

/** What the plainest form leaves out. */
const optionalFeatures: readonly string[] = [
  ...['system-role', 'tool-search', 'earlier-thoughts', 'blank-text', 'cache_control'],
]

/** Fields that a plain server may not know. */
function unusual(request: MessagesRequest): readonly string[] {
  return Object.keys(request).filter((name) => !usual.includes(name))
}

const usual: readonly string[] = [
  ...['model', 'max_tokens', 'system', 'messages', 'tools', 'tool_choice', 'stream', 'stop_sequences', 'mcp_servers'],
]

function toolsFor(tools: readonly Tool[], without: Without): MessagesRequest['tools'] {
  const fields = [...without].flatMap((name) => (name.startsWith('tools.*.') ? [name.slice('tools.*.'.length)] : []))
  return tools.flatMap((given) => {
    const isRefused = given.type && without.has(`tag:${given.type}`)
    const asFunction = isClientTool(given) && (isRefused || without.has('client-tools') || without.has('plain'))
    if (isRefused && !asFunction) return []
    if (without.has('tool-search') && isPlaceholder(given.name)) return []
    const tool = asFunction ? functionOf(given) : given
    const left = without.has('tool-search') ? ['defer_loading', ...fields] : fields
    const { input_schema: schema } = tool
    const kept = left.length === 0 ? tool : omit(tool, left)
    return [schema ? { ...kept, input_schema: plainerSchema(schema, without) } : kept]
  }) as MessagesRequest['tools']
}

/** A tool that Claude knows by its type, as one that any model can read. */
function functionOf(tool: Tool): Tool {
  const { cache_control: cache } = tool
  const { name, description, schema } = toolFunction(tool) ?? { name: tool.name, schema: {} }
  return { name, description, input_schema: { ...schema }, ...(cache != null && { cache_control: cache }) }
}

function messagesFor(messages: readonly Message[], without: Without): Message[] {
  const read = messages.flatMap((message) => {
    const { content } = message
    const blocks = isBlocks(content) ? content.flatMap((block) => blockFor(block, without)) : content
    // A message that held nothing else is left out.
    if (blocks.length === 0 && content.length > 0) return []
    return [{ ...message, content: withThought(message.role, blocks, without) }]
  })
  return without.has('system-role') ? withoutSystem(read) : read
}

function blockFor(block: ContentBlock, without: Without): readonly ContentBlock[] {
  const { type, text, content } = block
  if (isThought(block)) return without.has('earlier-thoughts') || without.has(`tag:${type}`) ? [] : [block]
  if (type === 'text' && without.has('blank-text') && typeof text === 'string' && text.trim() === '') return []
  if (without.has('tool-search')) {
    if (type === 'tool_reference') return [textOf(foundTool(block))]
    if (type === 'tool_addition' || type === 'tool_removal') return []
  }
  if (type === 'image' && without.has('images')) return [textOf(noImage)]
  if (without.has(`tag:${type}`)) return [textOf(JSON.stringify(block).slice(0, maxTold))]
  if (type !== 'tool_result' || !isBlocks(content)) return [block]
  return [{ ...block, content: content.flatMap((inner) => blockFor(inner, without)) }]
}

const noImage = '[An image stood here. It cannot be shown to this model.]'
const maxTold = 20_000

function isThought({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** Some models refuse a message of theirs without a thought. An empty one counts as missing. */
function withThought(role: Message['role'], content: Message['content'], without: Without): Message['content'] {
  if (role !== 'assistant' || !without.has('missing-thoughts') || without.has('earlier-thoughts')) return content
  const blocks = typeof content === 'string' ? [textOf(content)] : content
  return blocks.some(isThought) ? content : [{ type: 'thinking', thinking: ' ', signature: '' }, ...blocks]
}

/** Messages of the system as the user's, who has to answer calls first, and says all that he says at once. */
function withoutSystem(messages: readonly Message[]): Message[] {
  const merged: { role: Message['role']; content: ContentBlock[] }[] = []
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [textOf(content)] : content
    const own = role === 'system' ? blocks.map(reminderOf) : blocks
    const side = role === 'system' ? 'user' : role
    const last = merged.at(-1)
    if (last?.role === side) last.content.push(...own)
    else merged.push({ role: side, content: [...own] })
  }
  return merged.map(({ role, content }) => ({ role, content: role === 'user' ? resultsFirst(content) : content }))
}

function resultsFirst(blocks: readonly ContentBlock[]): ContentBlock[] {
  const isResult = ({ type }: ContentBlock): boolean => type === 'tool_result'
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))]
}

/** How the model may think, as far as the server can be told. */
function withThinking(request: MessagesRequest, without: Without): MessagesRequest {
  const { thinking, output_config: output, max_tokens } = request
  const asEffort = thinking?.type === 'enabled' && without.has('budget-thinking')
  const effort = output?.effort ?? (asEffort ? effortOf(request, without) : undefined)
  const isUnthinking = thinking?.type === 'disabled' && without.has('effort-unthinking')
  const lowered = effort === undefined || isUnthinking ? undefined : nextEffort(effort, without)
  const config =
    (output?.effort ?? undefined) === lowered
      ? output
      : { ...omit(output ?? {}, ['effort']), ...(lowered && { effort: lowered }) }
  const isOff = without.has('missing-thoughts') && without.has('earlier-thoughts')
  const asBudget = thinking?.type === 'adaptive' && without.has('adaptive-thinking')
  const budget = asBudget ? budgetFor(effort, max_tokens ?? usualTokens) : thinking
  const told = isOff ? { type: 'disabled' } : asEffort ? { type: 'adaptive' } : budget
  return {
    ...request,
    ...(output !== config && { output_config: config && Object.keys(config).length > 0 ? config : undefined }),
    ...(told !== thinking && { thinking: told }),
  }
}

const usualTokens = 32_000
/** The API takes no less. */
const minBudget = 1024

/** The limit of tokens has to leave room for an answer. */
function budgetFor(effort: string | undefined, maxTokens: number) {
  const wanted = effort === 'low' ? 2048 : effort === 'medium' ? 8192 : 16_384
  const budget = Math.min(wanted, Math.floor(maxTokens / 2))
  return budget < minBudget ? { type: 'disabled' } : { type: 'enabled', budget_tokens: budget }
}

/** Without the parts of fields, as `output_config.effort`, and the fields of blocks, as `blocks.*.citations`. */
function withoutParts(request: MessagesRequest, without: Without): MessagesRequest {
  let left: Readonly<Record<string, unknown>> = request
  for (const name of without) {
    const [field = '', part, inner] = name.split('.')
    if (field === 'blocks' && inner) left = { ...left, messages: strip(left['messages'], inner) }
    const value = left[field]
    if (part === undefined || part === '*' || typeof value !== 'object' || value === null || Array.isArray(value))
      continue
    left = { ...left, [field]: omit(value, [part]) }
  }
  return left as MessagesRequest
}

function withoutField(request: MessagesRequest, field: string): MessagesRequest {
  const { system, messages, tools } = request
  return {
    ...request,
    ...(system && { system: strip(system, field) }),
    ...(tools && { tools: strip(tools, field) }),
    messages: strip(messages, field),
  } as MessagesRequest
}

/** Blocks, and those within them, without a field. What tools were called with stays as it is. */
function strip(value: unknown, field: string): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, field))
  if (typeof value !== 'object' || value === null) return value
  const rest = omit(value, [field])
  return 'content' in rest ? { ...rest, content: strip(rest['content'], field) } : rest
}

function omit(value: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function textOf(text: string): ContentBlock {
  return { type: 'text', text }
}
