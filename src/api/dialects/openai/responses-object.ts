import type { SearchEvent } from '../../../domain/search.ts'
import type { Reply } from '../../dialect.ts'
import type { Failure } from '../../exchange/failure.ts'
import { isSpent } from '../../http/failure-of.ts'
import { evidenceField } from '../shared/evidence.ts'
import { shortfallOf } from '../shared/responses/format.ts'
import type { ResponsesInput } from './responses-input.ts'

export type Done = Extract<SearchEvent, { type: 'done' }>

/** What becomes of a response that is answered in the background. */
export interface ResponseState {
  readonly status: 'queued' | 'in_progress' | 'failed' | 'cancelled'
  readonly failure?: Failure | undefined
}

/** An OpenAI response with this output; in progress without `done`, unless `state` says otherwise. */
export function formatResponse(
  reply: Reply<ResponsesInput>,
  output: readonly unknown[],
  done: Done | undefined,
  { status, failure }: ResponseState = { status: 'in_progress' },
) {
  const { id, createdAt, elapsedMs, input, defaultModel = 'sonnet' } = reply
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: Math.floor(createdAt.getTime() / 1000),
    completed_at: done ? Math.floor((createdAt.getTime() + elapsedMs()) / 1000) : null,
    status: done ? statusOf(done, input) : status,
    background: input.background ?? false,
    error: failure ? errorOf(failure) : null,
    incomplete_details: (done && shortfall(done, input)) ?? null,
    instructions: input.instructions ?? null,
    max_output_tokens: input.max_output_tokens ?? null,
    metadata: input.metadata ?? {},
    model: input.model ?? defaultModel,
    output,
    parallel_tool_calls: input.parallel_tool_calls ?? true,
    previous_response_id: null,
    store: input.background ?? false,
    temperature: input.temperature ?? 1,
    text: { format: input.text?.format ?? { type: 'text' } },
    tool_choice: input.tool_choice ?? 'auto',
    tools: input.tools ?? [],
    top_p: input.top_p ?? 1,
    truncation: 'disabled',
    usage: done ? formatUsage(done) : null,
    ...(done && evidenceField(done)),
  }
}

/** How a response ended. */
export function statusOf(done: Done, input: ResponsesInput): 'completed' | 'incomplete' {
  return shortfall(done, input) ? 'incomplete' : 'completed'
}

/** A refusal to write JSON is a whole message of its own kind. */
function shortfall({ reason }: Done, input: ResponsesInput) {
  return reason === 'refusal' && isJson(input) ? undefined : shortfallOf(reason)
}

/** Whether the text has to fit a schema. */
export function isJson({ text }: ResponsesInput): boolean {
  return text?.format !== undefined && text.format.type !== 'text'
}

/** The vendor has few codes. After `insufficient_quota` Codex does not try again. */
function errorOf(failure: Failure) {
  const { code, message } = failure
  if (isSpent(failure)) return { code: 'insufficient_quota', message }
  return { code: code === 'rate-limited' || code === 'busy' ? 'rate_limit_exceeded' : 'server_error', message }
}

function formatUsage({ usage: { inputTokens, outputTokens } }: Done): unknown {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  }
}
