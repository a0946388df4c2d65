import type { MessageUsage } from '../../messages/events.ts'
import type { ChatUsage } from './chunk.ts'

export interface TokenCounts {
  /** All of the prompt. */
  readonly input: number
  /** Of the prompt, what a cache held. */
  readonly cached: number
  /** Of the prompt, what a cache has kept for later. */
  readonly written: number
  readonly output: number
  /** Of the output, what was thought; `undefined` if not told. */
  readonly thought?: number | undefined
}

/** The counts of a provider, with estimates for what it does not tell. */
export function toCounts(usage: ChatUsage | undefined, estimate: Pick<TokenCounts, 'input' | 'output'>): TokenCounts {
  const input = usage?.prompt_tokens ?? estimate.input
  const cached = Math.min(usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? 0, input)
  const written = Math.min(usage?.prompt_tokens_details?.cache_write_tokens ?? 0, input - cached)
  const thought = usage?.completion_tokens_details?.reasoning_tokens ?? undefined
  return { input, cached, written, output: usage?.completion_tokens ?? estimate.output, thought }
}

/** Counts as the Messages API gives them, where the input leaves out what the caches have to do with. */
export function toMessageUsage({ input, cached, written, output, thought }: TokenCounts): MessageUsage {
  return {
    input_tokens: input - cached - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: output,
    ...(thought !== undefined && { output_tokens_details: { thinking_tokens: thought } }),
  }
}
