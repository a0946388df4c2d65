import { replay } from '../../../domain/answer.ts'
import type { Answer, FinishReason, SearchEvent } from '../../../domain/search.ts'
import type { Frame } from '../../dialect.ts'

/** Whoever tells an answer in the events of a Responses API, and has the whole response at the end. */
export interface ResponseTeller {
  begin(): readonly Frame[]
  add(event: SearchEvent): readonly Frame[]
  readonly response: unknown
}

/** What a stream would have told, less the telling. */
export function tellWhole(teller: ResponseTeller, answer: Answer): unknown {
  for (const event of replay(answer)) teller.add(event)
  return teller.response
}

/** The frames of a stream. None before the first news, so that whatever fails up to there keeps its status. */
export async function* tellStream(
  teller: ResponseTeller,
  events: AsyncIterable<SearchEvent>,
): AsyncGenerator<Frame, void, undefined> {
  let begun = false
  for await (const event of events) {
    if (event.type === 'cache') continue
    if (!begun) yield* teller.begin()
    begun = true
    yield* teller.add(event)
  }
}

/** The events of a streamed response: named, and numbered from 0 without a gap. */
export class NumberedEvents {
  #next = 0

  event(type: string, fields: Readonly<Record<string, unknown>>): Frame {
    return numberedEvent(type, fields, this.#next++)
  }
}

/** One such event, whose number is known. */
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
