import type { FinishReason } from '../../../domain/search.ts'

/** OpenAI's words for why an answer ended, which others have taken over. */
export const finishReasons = {
  stop: 'stop',
  length: 'length',
  refusal: 'content_filter',
  'tool-calls': 'tool_calls',
} as const satisfies Record<FinishReason, string>
