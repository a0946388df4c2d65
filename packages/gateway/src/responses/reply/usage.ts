import type { TokenCounts } from '../../translation/reply/token-counts.ts'
import type { ResponseUsage } from './event.ts'

/** The counts of a provider, with estimates for what it does not tell. */
export function toCounts(
  usage: ResponseUsage | undefined,
  estimate: Pick<TokenCounts, 'input' | 'output'>,
): TokenCounts {
  const input = usage?.input_tokens ?? estimate.input
  const cached = Math.min(usage?.input_tokens_details?.cached_tokens ?? 0, input)
  const written = Math.min(usage?.input_tokens_details?.cache_write_tokens ?? 0, input - cached)
  const thought = usage?.output_tokens_details?.reasoning_tokens ?? undefined
  return { input, cached, written, output: usage?.output_tokens ?? estimate.output, thought }
}
