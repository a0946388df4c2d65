import { parseJson } from '@csp/lib/json'
import { toldCount } from '@csp/lib/told-count'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { z } from 'zod'
import { endOf } from '../../catalogue/ends.ts'
import { errorWithin } from '../../catalogue/error-within.ts'
import { failureInReply } from '../../translation/provider-error.ts'

/** A field that is wrong counts as absent: a provider's slip must not end a reply. */
const text = z.string().nullish().catch(undefined)
const number = toldCount.nullish().catch(undefined)

const part = z.object({ type: text, text, refusal: text })
const parts = z.array(part).nullish().catch(undefined)

const item = z.object({
  type: z.string(),
  id: text,
  /** The content of a message, or the words of a thought that is no secret. */
  content: parts,
  summary: parts,
  encrypted_content: text,
  call_id: text,
  name: text,
  arguments: text,
  /** Of a message: `commentary` before calls, or `final_answer`. */
  phase: text,
})

const usage = z.object({
  input_tokens: number,
  input_tokens_details: z.object({ cached_tokens: number, cache_write_tokens: number }).nullish().catch(undefined),
  output_tokens: number,
  output_tokens_details: z.object({ reasoning_tokens: number }).nullish().catch(undefined),
})

/** The state of a response at its end, or a whole reply. */
const response = z.object({
  status: text,
  output: z.array(item.nullish().catch(undefined)).nullish().catch(undefined),
  usage: usage.nullish().catch(undefined),
  incomplete_details: z.object({ reason: text }).nullish().catch(undefined),
  error: z.unknown().optional(),
})

/** An event of the stream. */
const event = z.object({
  type: z.string(),
  output_index: number,
  item_id: text,
  arguments: text,
  summary_index: number,
  item: item.nullish().catch(undefined),
  delta: text,
  /** All of a text, at its end. */
  text,
  response: response.nullish().catch(undefined),
  error: z.unknown().optional(),
})

export type ResponseEvent = z.infer<typeof event>
export type OutputItem = z.infer<typeof item>
/** As much of an item as is known where it begins. */
export type BegunItem = Pick<OutputItem, 'type'> & Partial<OutputItem>
export type ResponseState = z.infer<typeof response>
export type ResponseUsage = z.infer<typeof usage>

/** What a piece belongs to, for those that can be read without their item. */
export function kindOfPiece(
  type: string,
): { readonly item: string; readonly segment: 'text' | 'thinking' } | undefined {
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
    return { item: 'message', segment: 'text' }
  const isThought = type === 'response.reasoning_summary_text.delta' || type === 'response.reasoning_text.delta'
  return isThought ? { item: 'reasoning', segment: 'thinking' } : undefined
}

/** Reads the data of an event. A reply that does not stream becomes the event at the end of one. */
export function toEvent(data: string): ResponseEvent {
  const value = parseJson(data)
  const told = event.safeParse(value).data
  const bare = told ? undefined : errorWithin(value)
  if (bare !== undefined) throw failureInReply(bare)
  const read = told ?? wholeReply(value)
  if (!read) throw new UpstreamError(502, `The provider sent what is no event of a reply: ${data.slice(0, 100)}`)
  const { type, response: state, error } = read
  if (type === 'error') throw failureInReply(error ?? value)
  if (type === 'response.failed' || state?.status === 'failed')
    throw failureInReply(state?.error ?? 'The model failed.')
  const reason = state?.incomplete_details?.reason
  if (reason && endOf(reason) === 'failure')
    throw failureInReply({ code: reason, message: `The model failed: ${reason}` })
  return read
}

function wholeReply(value: unknown): ResponseEvent | undefined {
  const whole = response.safeParse(value).data
  if (!whole?.output && !whole?.error) return undefined
  const type = whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed'
  return {
    type,
    response: whole,
    output_index: undefined,
    item_id: undefined,
    arguments: undefined,
    summary_index: undefined,
    item: undefined,
    delta: undefined,
    text: undefined,
  }
}

/** Whether an event is the last one. */
export function isEnd(type: string): boolean {
  return type === 'response.completed' || type === 'response.incomplete'
}
