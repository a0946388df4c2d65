import type { MessageUsage } from '@csp/messages-api/events'

export interface TokenCounts {
  /** All of the prompt. */
  readonly input: number
  /** The part of the prompt that a cache held. */
  readonly cached: number
  /** The part of the prompt that a cache has kept for later. */
  readonly written: number
  readonly output: number
  /** The part of the output that was thought; `undefined` if the provider does not say. */
  readonly thought?: number | undefined
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
