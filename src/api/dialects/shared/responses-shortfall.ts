import type { FinishReason } from '../../../domain/search.ts'

/** Why a response is not complete, for its `incomplete_details`; `undefined` when it is. */
export function shortfallOf(reason: FinishReason): { readonly reason: string } | undefined {
  return shortfalls[reason]
}

const shortfalls = {
  stop: undefined,
  'tool-calls': undefined,
  length: { reason: 'max_output_tokens' },
  refusal: { reason: 'content_filter' },
} as const satisfies Record<FinishReason, unknown>
