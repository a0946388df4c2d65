import { parseJson } from '@csp/lib/json'
import { toldCount } from '@csp/lib/told-count'
import { z } from 'zod'
import type { RateLimitHealth } from '../../../../domain/health.ts'
import type { TurnCost } from '../../../answer/events.ts'
import { type NativeFound, nativeFound, nativeQuery, nativeToolName } from '../../../answer/native-search.ts'
import { versionIn } from '../cli/version.ts'
import { type ToolOutput, toolOutputSchema } from '../search-output.ts'
import { limitFrom, limitInfo } from './usage.ts'

/** The events of a worker's CLI that csp uses. Other output is skipped. */
export type CliEvent =
  | { readonly type: 'init'; readonly tools: readonly string[]; readonly version: string | undefined }
  /** The session was cleared. */
  | { readonly type: 'reset' }
  /** `inputTokens`: of the prompt, as the API counts it. */
  | { readonly type: 'message-start'; readonly inputTokens?: number | undefined }
  | { readonly type: 'text-delta'; readonly text: string }
  /** A tool call as the model writes it. `index`: of the block within its message. */
  | { readonly type: 'call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'call-delta'; readonly index: number; readonly json: string }
  | { readonly type: 'block-stop'; readonly index: number }
  /** The model has ended its message. One that the connection cut has a `message-stop` alone, which the CLI makes up. */
  | { readonly type: 'message-end'; readonly stopReason: string; readonly inputTokens?: number | undefined }
  | { readonly type: 'message-stop' }
  /** The CLI has put a text into the conversation: it is written whole, or continues from there. */
  | { readonly type: 'text-kept' }
  /** A call of the API failed: the CLI makes it again, or asks the model to go on. */
  | { readonly type: 'retry' }
  /** A tool call that the CLI runs. */
  | { readonly type: 'tool-use'; readonly id: string; readonly name: string; readonly query: string }
  /** A search that the API makes within the message, and what it found. */
  | { readonly type: 'native-search'; readonly id: string; readonly query: string }
  | { readonly type: 'native-found'; readonly found: NativeFound }
  /** The text of this block rests on a page, as the API tells it. */
  | { readonly type: 'citation'; readonly index: number; readonly citation: unknown }
  /** `output`: the results of the search, or its error. */
  | { readonly type: 'tool-result'; readonly id: string; readonly output: ToolOutput | string | undefined }
  | { readonly type: 'rate-limit'; readonly limit: RateLimitHealth }
  | {
      readonly type: 'control-response'
      readonly id: string
      readonly error: string | undefined
      readonly response: unknown
    }
  /** `message`: an MCP message to the server of the caller's tools. */
  | { readonly type: 'control-request'; readonly id: string; readonly message: unknown }
  | { readonly type: 'result'; readonly result: TurnResult }

/** How a turn ended. */
export interface TurnResult extends TurnCost {
  readonly failed: boolean
  /** The last text of the turn, or the error. */
  readonly text: string
  /** The API's HTTP status, when that is why the turn failed. */
  readonly apiStatus: number | undefined
}

/** Parses one line of `--output-format stream-json`; `undefined` for lines that csp does not use. */
export function parseCliLine(line: string): CliEvent | undefined {
  const parsed = lineSchema.safeParse(parseJson(line))
  return parsed.success ? toEvent(parsed.data) : undefined
}

const tokens = toldCount.catch(0).default(0)

const usage = z.object({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
})

const toolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() })
const nativeUse = z.object({
  type: z.literal('server_tool_use'),
  id: z.string(),
  name: z.literal(nativeToolName),
  input: z.unknown(),
})
const textBlock = z.object({ type: z.literal('text') })
const toolResult = z.object({ type: z.literal('tool_result'), tool_use_id: z.string() })
const otherBlock = z.object({ type: z.string() }).transform(() => undefined)

const textDelta = z.object({ type: z.literal('text_delta'), text: z.string() })
const jsonDelta = z.object({ type: z.literal('input_json_delta'), partial_json: z.string() })
const citationDelta = z.object({ type: z.literal('citations_delta'), citation: z.unknown() })
const endDelta = z.object({ type: z.undefined().optional(), stop_reason: z.string() })

const noUsage = usage.parse({})

const lineSchema = z.discriminatedUnion('type', [
  z.discriminatedUnion('subtype', [
    z.object({
      type: z.literal('system'),
      subtype: z.literal('init'),
      tools: z.array(z.string()),
      claude_code_version: z.string().optional().catch(undefined),
    }),
    z.object({ type: z.literal('system'), subtype: z.literal('api_retry') }),
  ]),
  z.object({ type: z.literal('conversation_reset') }),
  z.object({
    type: z.literal('stream_event'),
    parent_tool_use_id: z.string().nullish(),
    event: z.object({
      type: z.string(),
      index: z.number().catch(0),
      content_block: z.looseObject({ type: z.string() }).optional().catch(undefined),
      delta: z.union([textDelta, jsonDelta, citationDelta, endDelta]).optional().catch(undefined),
      message: z.object({ usage }).optional().catch(undefined),
      usage: usage.optional().catch(undefined),
    }),
  }),
  z.object({
    type: z.literal('assistant'),
    message: z.object({ content: z.array(z.union([toolUse, nativeUse, textBlock, otherBlock])) }),
  }),
  z.object({
    type: z.literal('user'),
    message: z.object({ content: z.array(z.union([toolResult, textBlock, otherBlock])) }),
    tool_use_result: z.union([toolOutputSchema, z.string()]).optional().catch(undefined),
  }),
  z.object({
    type: z.literal('rate_limit_event'),
    rate_limit_info: limitInfo,
  }),
  z.object({
    type: z.literal('control_response'),
    response: z.object({
      request_id: z.string(),
      subtype: z.string(),
      error: z.string().optional(),
      response: z.unknown().optional(),
    }),
  }),
  z.object({
    type: z.literal('control_request'),
    request_id: z.string(),
    request: z.object({ subtype: z.string(), message: z.unknown() }),
  }),
  z.object({
    type: z.literal('result'),
    // `true` beside `subtype: "success"` is a failure. tests/sandbox/cli-errors.json records what the CLI said.
    is_error: z.boolean().catch(false),
    result: z.string().catch(''),
    api_error: z.string().nullish().catch(undefined),
    api_error_status: z.number().nullish().catch(undefined),
    stop_reason: z.string().nullish().catch(undefined),
    usage: usage.catch(noUsage),
  }),
])

type Line = z.infer<typeof lineSchema>

function toEvent(line: Line): CliEvent | undefined {
  switch (line.type) {
    case 'system':
      if (line.subtype === 'api_retry') return { type: 'retry' }
      return { type: 'init', tools: line.tools, version: versionIn(line.claude_code_version ?? '') }
    case 'conversation_reset':
      return { type: 'reset' }
    case 'stream_event':
      return fromStreamEvent(line)
    case 'assistant':
      return fromAssistant(line)
    case 'user':
      return fromUser(line)
    case 'rate_limit_event':
      return { type: 'rate-limit', limit: limitFrom(line.rate_limit_info) }
    case 'control_response':
      return {
        type: 'control-response',
        id: line.response.request_id,
        error: line.response.error,
        response: line.response.response,
      }
    case 'control_request':
      return { type: 'control-request', id: line.request_id, message: line.request.message }
    case 'result':
      return { type: 'result', result: toTurnResult(line) }
  }
}

function fromStreamEvent({ event, parent_tool_use_id }: Extract<Line, { type: 'stream_event' }>): CliEvent | undefined {
  if (parent_tool_use_id) return undefined
  const { index, content_block: block, delta, message, usage } = event
  switch (event.type) {
    case 'message_start':
      return { type: 'message-start', inputTokens: message && inputOf(message.usage) }
    case 'message_delta':
      return delta && 'stop_reason' in delta
        ? { type: 'message-end', stopReason: delta.stop_reason, inputTokens: usage && inputOf(usage) }
        : undefined
    case 'message_stop':
      return { type: 'message-stop' }
    case 'content_block_stop':
      return { type: 'block-stop', index }
    case 'content_block_start':
      return fromBlock(block, index)
    case 'content_block_delta':
      if (delta?.type === 'citations_delta') return { type: 'citation', index, citation: delta.citation }
      if (delta?.type === 'text_delta') return { type: 'text-delta', text: delta.text }
      return delta?.type === 'input_json_delta' ? { type: 'call-delta', index, json: delta.partial_json } : undefined
  }
  return undefined
}

/** Results stand in the start of their block; a call's arguments follow it. */
function fromBlock(block: { readonly type: string } | undefined, index: number): CliEvent | undefined {
  if (block?.type === 'web_search_tool_result') {
    const found = nativeFound(block)
    return found && { type: 'native-found', found }
  }
  const call = toolUse.safeParse(block).data
  return call && { type: 'call-start', index, id: call.id, name: call.name }
}

/** The CLI sends one message for each block, so it contains at most one tool use. */
function fromAssistant({ message }: Extract<Line, { type: 'assistant' }>): CliEvent | undefined {
  const blocks = message.content.filter((candidate) => candidate !== undefined)
  const block = blocks.find(({ type }) => type !== 'text') ?? blocks[0]
  if (block?.type === 'server_tool_use') {
    return { type: 'native-search', id: block.id, query: nativeQuery(block.input) ?? '' }
  }
  if (block?.type !== 'tool_use') return block && { type: 'text-kept' }
  const query = z.object({ query: z.string() }).safeParse(block.input)
  return { type: 'tool-use', id: block.id, name: block.name, query: query.success ? query.data.query : '' }
}

function fromUser({ message, tool_use_result }: Extract<Line, { type: 'user' }>): CliEvent | undefined {
  const block = message.content.find((candidate) => candidate !== undefined)
  if (block?.type === 'text') return { type: 'retry' }
  return block && { type: 'tool-result', id: block.tool_use_id, output: tool_use_result }
}

function toTurnResult({ usage, ...line }: Extract<Line, { type: 'result' }>): TurnResult {
  return {
    failed: line.is_error,
    text: line.result,
    apiStatus: line.api_error_status ?? undefined,
    // The CLI reports a text that reached the token limit as a failure of its own; older ones say so in words alone.
    stopReason:
      line.api_error === 'max_output_tokens' || /exceeded the \d+ output token maximum/.test(line.result)
        ? 'max_tokens'
        : (line.stop_reason ?? undefined),
    inputTokens: inputOf(usage),
    outputTokens: usage.output_tokens,
  }
}

function inputOf(counted: z.infer<typeof usage>): number {
  return counted.input_tokens + counted.cache_creation_input_tokens + counted.cache_read_input_tokens
}
