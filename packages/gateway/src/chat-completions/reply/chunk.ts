import { toldCount } from '@csp/lib/told-count'
import { z } from 'zod'

/** A field that is wrong counts as absent: a provider's slip must not end a reply. */
const text = z.string().nullish().catch(undefined)
const number = toldCount.nullish().catch(undefined)
const record = z.record(z.string(), z.unknown())

const toolCall = z.object({
  index: number,
  id: text,
  function: z
    .object({ name: text, arguments: z.union([z.string(), record]).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
  /** What Gemini wants back with the call, or it refuses the next turn. */
  extra_content: record.nullish().catch(undefined),
})

/** The form of calls before there were several. */
const legacyCall = z.object({ name: text, arguments: z.union([z.string(), record]).nullish().catch(undefined) })

const part = z.looseObject({ type: z.string() })

/** What a chunk adds, or the whole message of a reply that does not stream. */
const delta = z.object({
  content: z
    .union([z.string(), z.array(part)])
    .nullish()
    .catch(undefined),
  refusal: text,
  reasoning: text,
  reasoning_content: text,
  /** GitHub Copilot's name, and Ollama's. */
  reasoning_text: text,
  thinking: text,
  reasoning_details: z.array(record).nullish().catch(undefined),
  tool_calls: z.array(toolCall).nullish().catch(undefined),
  function_call: legacyCall.nullish().catch(undefined),
})

const details = z
  .object({
    cached_tokens: number,
    cache_write_tokens: number,
    cache_creation_tokens: number,
    /** vLLM's name. */
    created_cache_tokens: number,
  })
  .nullish()
  .catch(undefined)

const usage = z.object({
  prompt_tokens: number,
  completion_tokens: number,
  prompt_tokens_details: details,
  completion_tokens_details: z.object({ reasoning_tokens: number }).nullish().catch(undefined),
  /** DeepSeek's name for cached tokens. */
  prompt_cache_hit_tokens: number,
  /** Those of the Messages API, which LiteLLM passes on. */
  cache_read_input_tokens: number,
  cache_creation_input_tokens: number,
})

const choice = z.object({
  index: number,
  delta: delta.nullish().catch(undefined),
  message: delta.nullish().catch(undefined),
  finish_reason: text,
  /** The stop sequence at which vLLM has ended. */
  stop_reason: text,
})

/** A chunk of any provider's stream, or a whole reply. */
export const chatChunk = z.object({
  choices: z.array(choice).nullish().catch(undefined),
  usage: usage.nullish().catch(undefined),
})

/** The reply in a chunk: some servers send several, of which nobody asked for more than the first. */
export function choiceIn({ choices }: ChatChunk): z.infer<typeof choice> | undefined {
  return choices?.find(({ index }) => !index)
}

export type ChatChunk = z.infer<typeof chatChunk>
export type ChatDelta = z.infer<typeof delta>
export type ChatUsage = z.infer<typeof usage>
export type ToolCallDelta = z.infer<typeof toolCall>
