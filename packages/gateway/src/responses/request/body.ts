import type { MessagesRequest } from '@csp/messages-api/request'
import { outputSchema, withSchemaInWords } from '../../translation/request/output-format.ts'
import { effortOf, omitsThoughts, wantsThoughts } from '../../translation/request/thinking.ts'
import { chosenTool, type FunctionTool, functionTools } from '../../translation/request/tools.ts'
import { systemText } from '../../translation/request/turns.ts'
import type { BodyOptions, ProviderBody } from '../../translation/wire.ts'
import { readItem } from '../thought.ts'
import { toInput } from './input.ts'
import type { InputItem } from './items.ts'

/** The body of a response. */
export interface ResponsesBody extends ProviderBody {
  readonly input: readonly InputItem[]
  readonly tools?: readonly FunctionTool[] | undefined
  readonly tool_choice?: unknown
}

/** Features that may be refused, beside parameters of the body, which go by their names. */
export type Refusable =
  | 'images'
  | 'earlier-thoughts'
  | 'missing-phases'
  | 'reasoning.effort'
  | 'reasoning.summary'
  | 'stream'
  | 'json-schema'

export function responsesBody(request: MessagesRequest, options: BodyOptions): ResponsesBody {
  const { model, thinker, names, cacheKey, maxTokens = Number.POSITIVE_INFINITY } = options
  const without = options.without.has('plain') ? new Set([...options.without, ...optionalFeatures]) : options.without
  const { max_tokens, temperature, top_p, tool_choice } = request
  const takes = (feature: Refusable): boolean => !without.has(feature)
  const input = toInput(request, {
    images: takes('images'),
    files: true,
    fileUrls: true,
    phases: !takes('missing-phases'),
    names,
    readThought: (signature, thinking) =>
      takes('earlier-thoughts') ? readItem(signature, thinking, thinker) : undefined,
  })
  const schema = outputSchema(request)
  const instructions = systemText(takes('json-schema') ? request : withSchemaInWords(request))
  const tools = functionTools(request, names, without)
  const choice = chosenTool(request, tools, names)
  const optional: Record<string, unknown> = {
    ...(instructions !== '' && { instructions }),
    ...(max_tokens != null && { max_output_tokens: Math.max(minOutputTokens, Math.min(max_tokens, maxTokens)) }),
    ...(temperature != null && { temperature }),
    ...(top_p != null && { top_p }),
    // Nothing of a conversation stays there: each request brings its thoughts along, which only OpenAI can read.
    store: false,
    include: ['reasoning.encrypted_content'],
    ...reasoning(request, without),
    ...(schema && takes('json-schema') && { text: { format: { type: 'json_schema', ...schema } } }),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
      ...(choice && { tool_choice: typeof choice === 'string' ? choice : { type: 'function', ...choice } }),
      ...(tool_choice?.disable_parallel_tool_use && { parallel_tool_calls: false }),
    }),
    ...(cacheKey && { prompt_cache_key: cacheKey }),
    // Without it each piece is padded to hide its length.
    ...(takes('stream') && { stream_options: { include_obfuscation: false } }),
  }
  for (const name of without) delete optional[name]
  return { model, input, stream: takes('stream'), ...optional }
}

/** What the plainest form leaves out. */
const optionalFeatures: readonly string[] = [
  ...['temperature', 'top_p', 'store', 'include', 'reasoning', 'parallel_tool_calls', 'prompt_cache_key'],
  ...['stream_options', 'json-schema', 'earlier-thoughts'],
]

/** OpenAI refuses less. */
const minOutputTokens = 16

function reasoning(request: MessagesRequest, without: ReadonlySet<string>) {
  const effort = without.has('reasoning.effort') ? undefined : effortOf(request, without, 'medium')
  const showsThoughts = wantsThoughts(request) && !omitsThoughts(request)
  const wanted = {
    ...(effort && { effort }),
    ...(showsThoughts && !without.has('reasoning.summary') && { summary: 'auto' }),
  }
  return Object.keys(wanted).length > 0 ? { reasoning: wanted } : {}
}
