import type OpenAI from 'openai'
import type { Piece } from './strict-provider.ts'

/** What OpenAI's model does in one turn. */
export interface ModelTurn {
  /** Summaries of a thought. With none it is all encrypted. */
  readonly thoughts?: readonly string[] | undefined
  readonly text?: string | undefined
  readonly refusal?: string | undefined
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly json: string }[] | undefined
  /** Why it was cut off. */
  readonly incomplete?: 'max_output_tokens' | 'content_filter' | undefined
}

type Event = OpenAI.Responses.ResponseStreamEvent
type Output = OpenAI.Responses.ResponseOutputItem
type Numbered<T> = T extends unknown ? Omit<T, 'sequence_number'> : never

/** The events of a turn, by the types of OpenAI's own client. */
export function* eventsOf({ thoughts, text, refusal, calls = [], incomplete }: ModelTurn): Generator<Piece> {
  const output: Output[] = []
  let sequence_number = 0
  const numbered = (event: Numbered<Event>): Piece => ({ ...event, sequence_number: sequence_number++ })
  const state = (status: 'in_progress' | 'completed' | 'incomplete') => responseIn(status, output, incomplete)
  yield numbered({ type: 'response.created', response: state('in_progress') })
  yield numbered({ type: 'response.in_progress', response: state('in_progress') })
  if (thoughts) yield* thought(thoughts, output, numbered)
  if (text !== undefined || refusal !== undefined) yield* message({ text, refusal }, output, numbered)
  for (const call of calls) yield* functionCall(call, output, numbered)
  yield incomplete
    ? numbered({ type: 'response.incomplete', response: state('incomplete') })
    : numbered({ type: 'response.completed', response: state('completed') })
}

type Number = (event: Numbered<Event>) => Piece

function* thought(summaries: readonly string[], output: Output[], numbered: Number): Generator<Piece> {
  const [output_index, item_id] = [output.length, `rs_${crypto.randomUUID().slice(0, 8)}`]
  const item = { type: 'reasoning', id: item_id, summary: [], encrypted_content: 'gAAA-unfinished' } as const
  yield numbered({ type: 'response.output_item.added', output_index, item: { ...item, summary: [] } })
  for (const [summary_index, text] of summaries.entries()) {
    const at = { item_id, output_index, summary_index }
    const part = { type: 'summary_text', text: '' } as const
    yield numbered({ type: 'response.reasoning_summary_part.added', ...at, part })
    for (const delta of piecesOf(text)) yield numbered({ type: 'response.reasoning_summary_text.delta', ...at, delta })
    yield numbered({ type: 'response.reasoning_summary_text.done', ...at, text })
    yield numbered({ type: 'response.reasoning_summary_part.done', ...at, part: { ...part, text } })
  }
  const summary = summaries.map((text) => ({ type: 'summary_text' as const, text }))
  const done = { ...item, summary, encrypted_content: sealed(item_id) }
  output.push(done)
  yield numbered({ type: 'response.output_item.done', output_index, item: done })
}

/** What the stand-in knows again. */
export const sealed = (id: string): string => `gAAA-${id}`

function* message(
  { text, refusal }: Pick<ModelTurn, 'text' | 'refusal'>,
  output: Output[],
  numbered: Number,
): Generator<Piece> {
  const [output_index, item_id] = [output.length, `msg_${output.length}`]
  const item = { type: 'message', id: item_id, role: 'assistant', status: 'in_progress', content: [] } as const
  const at = { item_id, output_index, content_index: 0 }
  yield numbered({ type: 'response.output_item.added', output_index, item: { ...item, content: [] } })
  const part =
    refusal === undefined
      ? { type: 'output_text' as const, text: '', annotations: [] }
      : { type: 'refusal' as const, refusal: '' }
  yield numbered({ type: 'response.content_part.added', ...at, part })
  for (const delta of piecesOf(refusal ?? text)) {
    if (refusal === undefined) yield numbered({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })
    else yield numbered({ type: 'response.refusal.delta', ...at, delta })
  }
  const whole = part.type === 'refusal' ? { ...part, refusal: refusal ?? '' } : { ...part, text: text ?? '' }
  if (whole.type === 'output_text')
    yield numbered({ type: 'response.output_text.done', ...at, text: whole.text, logprobs: [] })
  yield numbered({ type: 'response.content_part.done', ...at, part: whole })
  const done = { ...item, status: 'completed' as const, content: [whole] }
  output.push(done)
  yield numbered({ type: 'response.output_item.done', output_index, item: done })
}

function* functionCall(
  { id: call_id, name, json }: { readonly id: string; readonly name: string; readonly json: string },
  output: Output[],
  numbered: Number,
): Generator<Piece> {
  const [output_index, item_id] = [output.length, `fc_${call_id}`]
  const item = { type: 'function_call', id: item_id, call_id, name, arguments: '' } as const
  yield numbered({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } })
  const at = { item_id, output_index }
  for (const delta of piecesOf(json)) yield numbered({ type: 'response.function_call_arguments.delta', ...at, delta })
  yield numbered({ type: 'response.function_call_arguments.done', ...at, arguments: json })
  const done = { ...item, arguments: json, status: 'completed' as const }
  output.push(done)
  yield numbered({ type: 'response.output_item.done', output_index, item: done })
}

function responseIn(
  status: 'in_progress' | 'completed' | 'incomplete',
  output: readonly Output[],
  reason?: ModelTurn['incomplete'],
): OpenAI.Responses.Response {
  const usage = {
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 25,
  }
  const response: Partial<OpenAI.Responses.Response> = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status,
    model: 'gpt-5',
    error: null,
    incomplete_details: reason ? { reason } : null,
    output: [...output],
    ...(status !== 'in_progress' && { usage }),
  }
  // What only repeats the request is left out.
  return response as OpenAI.Responses.Response
}

/** The response that a stream ends with: what is sent where nobody asked for a stream. */
export function stateIn(pieces: readonly Piece[]): unknown {
  const last = pieces.at(-1)
  return typeof last === 'object' ? last['response'] : undefined
}

function piecesOf(text = ''): readonly string[] {
  return text.match(/[\s\S]{1,3}/gu) ?? []
}
