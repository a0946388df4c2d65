import { replay } from '../../../../domain/answer.ts'
import type { Answer, FinishReason, SearchEvent } from '../../../../domain/search.ts'
import type { Frame } from '../../../dialect.ts'

/** Writes an answer as the events of a Responses API, and holds the whole response at the end. */
export interface EventWriter {
  begin(): readonly Frame[]
  add(event: SearchEvent): readonly Frame[]
  readonly response: unknown
}

/** The response that a stream would have ended with. */
export function writeWhole(writer: EventWriter, answer: Answer): unknown {
  for (const event of replay(answer)) writer.add(event)
  return writer.response
}

/** The frames of a stream. None before the first search event, so that an earlier failure keeps its HTTP status. */
export async function* writeStream(
  writer: EventWriter,
  events: AsyncIterable<SearchEvent>,
): AsyncGenerator<Frame, void, undefined> {
  let begun = false
  for await (const event of events) {
    if (event.type === 'cache') continue
    if (!begun) yield* writer.begin()
    begun = true
    yield* writer.add(event)
  }
}

/** The events of a streamed response: named, and numbered from 0 without a gap. */
export class NumberedEvents {
  #next = 0

  event(type: string, fields: Readonly<Record<string, unknown>>): Frame {
    return numberedEvent(type, fields, this.#next++)
  }

  /** The first two, of a response that has nothing yet. */
  begin(response: unknown): readonly Frame[] {
    return ['response.created', 'response.in_progress'].map((type) => this.event(type, { response }))
  }
}

/** An event with a given number. */
export function numberedEvent(type: string, fields: Readonly<Record<string, unknown>>, sequence: number): Frame {
  return { event: type, data: JSON.stringify({ type, sequence_number: sequence, ...fields }) }
}

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
