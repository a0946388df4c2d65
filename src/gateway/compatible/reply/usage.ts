import type { TokenCounts } from '../../translated/reply/token-counts.ts'
import type { ChatUsage } from './chunk.ts'

/** The counts of a provider, with estimates for what it does not tell. */
export function toCounts(usage: ChatUsage | undefined, estimate: Pick<TokenCounts, 'input' | 'output'>): TokenCounts {
  const input = usage?.prompt_tokens ?? estimate.input
  const cached = Math.min(usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? 0, input)
  const written = Math.min(usage?.prompt_tokens_details?.cache_write_tokens ?? 0, input - cached)
  const thought = usage?.completion_tokens_details?.reasoning_tokens ?? undefined
  return { input, cached, written, output: usage?.completion_tokens ?? estimate.output, thought }
}
