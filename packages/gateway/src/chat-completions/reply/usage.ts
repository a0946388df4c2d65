import type { TokenCounts } from '../../translation/reply/token-counts.ts'
import type { ChatUsage } from './chunk.ts'

/** The counts of a provider, with estimates for what it does not tell. */
export function toCounts(usage: ChatUsage | undefined, estimate: Pick<TokenCounts, 'input' | 'output'>): TokenCounts {
  const input = usage?.prompt_tokens ?? estimate.input
  const details = usage?.prompt_tokens_details
  const read = details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? usage?.cache_read_input_tokens
  const told = details?.cache_write_tokens ?? details?.cache_creation_tokens ?? details?.created_cache_tokens
  const kept = told ?? usage?.cache_creation_input_tokens
  const cached = Math.min(read ?? 0, input)
  const written = Math.min(kept ?? 0, input - cached)
  const thought = usage?.completion_tokens_details?.reasoning_tokens ?? undefined
  return { input, cached, written, output: usage?.completion_tokens ?? estimate.output, thought }
}
