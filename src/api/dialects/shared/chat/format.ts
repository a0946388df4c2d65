import { z } from 'zod'
import type { Answer, FinishReason, JsonSchema, SearchEvent, Usage } from '../../../../domain/search.ts'
import { refused } from '../../../exchange/refusal.ts'
import { optional } from '../../../fields/field.ts'
import { usableSchema } from '../schema.ts'

const schemaField = optional(z.record(z.string(), z.unknown()))

/** The requested format of an answer, as OpenAI's and Perplexity's chats and Perplexity's Agent API send it. */
export const responseFormatField = optional(
  z.looseObject({ type: z.string(), json_schema: optional(z.looseObject({ schema: schemaField })) }),
)

/** The same as OpenAI's Responses API sends it: flat. */
export const textFormatField = optional(z.looseObject({ type: z.string(), schema: schemaField }))

/** The schema of the text; `undefined` when it may be any text. Throws a `Refusal`. */
export function readResponseFormat(format: z.output<typeof responseFormatField>): JsonSchema | undefined {
  const path = ['response_format', 'json_schema', 'schema']
  const schema = format && readFormat(format.type, format.json_schema?.schema, ['response_format', 'type'])
  return usableSchema(schema, path)
}

/** As `readResponseFormat`. */
export function readTextFormat(format: z.output<typeof textFormatField>): JsonSchema | undefined {
  const schema = format && readFormat(format.type, format.schema, ['text', 'format', 'type'])
  return usableSchema(schema, ['text', 'format', 'schema'])
}

/** The AI SDK requests JSON of any form by leaving out the schema. */
function readFormat(type: string, schema: JsonSchema | undefined, path: readonly string[]): JsonSchema | undefined {
  switch (type) {
    case 'text':
      return undefined
    case 'json_object':
      return anyObject
    case 'json_schema':
      return schema ?? anyObject
    default:
      throw refused(path, `Supported types are text, json_object and json_schema, not ${type}`)
  }
}

const anyObject: JsonSchema = { type: 'object' }

/** How a chat returns calls of the caller's functions. */
export interface CallWish {
  /** False: at most one call. The model may have made more; it makes them again after the first result. */
  readonly parallel_tool_calls?: boolean | undefined
}

/** The calls of a whole message, for its `tool_calls`. */
export function formatToolCalls({ toolCalls }: Answer, { parallel_tool_calls }: CallWish): readonly unknown[] {
  return toolCalls.slice(0, parallel_tool_calls === false ? 1 : undefined).map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text || noArguments },
  }))
}

/** The deltas of a streamed chat: text, and calls by index, with id and name in the first delta only. */
export class ChatDeltas {
  readonly #ids: string[] = []
  readonly #wish: CallWish

  constructor(wish: CallWish) {
    this.#wish = wish
  }

  /** The content of the next delta; `undefined` when the event has none. */
  of(event: SearchEvent): object | undefined {
    switch (event.type) {
      case 'text-delta':
        return event.text ? { content: event.text } : undefined
      case 'tool-call-start':
        this.#ids.push(event.id)
        return this.#call(event.id, { name: event.name, arguments: '' }, { id: event.id, type: 'function' })
      case 'tool-call-delta':
        return this.#call(event.id, { arguments: event.arguments })
      default:
        return undefined
    }
  }

  /** The last deltas, after the last event. */
  rest({ toolCalls }: Answer): readonly object[] {
    const silent = toolCalls.filter((call) => !call.arguments)
    return silent.flatMap(({ id }) => this.#call(id, { arguments: noArguments }) ?? [])
  }

  #call(callId: string, called: object, more: object = {}): object | undefined {
    const index = this.#ids.indexOf(callId)
    if (index < 0 || (index > 0 && this.#wish.parallel_tool_calls === false)) return undefined
    return { tool_calls: [{ index, ...more, function: called }] }
  }
}

/** The model may send no arguments for a function without parameters, but clients parse them as JSON. */
const noArguments = '{}'

/** The tokens of an answer, as chat completions count them. */
export function chatUsage({ inputTokens, outputTokens }: Usage) {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: inputTokens + outputTokens }
}

/** OpenAI's finish reasons, which other vendors use as well. */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  refusal: 'content_filter',
  'tool-calls': 'tool_calls',
} as const satisfies Record<FinishReason, string>
