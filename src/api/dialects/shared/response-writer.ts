import { replay } from '../../../domain/answer.ts'
import type { Answer, SearchEvent } from '../../../domain/search.ts'
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
