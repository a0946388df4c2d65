import { replay } from '../../domain/answer.ts'
import type { Answer, SearchEvent } from '../../domain/search.ts'
import type { Dialect, Failure, Frame, Reply } from '../dialect.ts'
import { openaiError, openaiErrorFields } from './openai-error.ts'
import { numberedEvent } from './responses-events.ts'
import { type ResponsesInput, readResponses, responsesInput } from './responses-input.ts'
import { ignoredItems } from './responses-items.ts'
import { ResponseWriter } from './responses-writer.ts'

/**
 * OpenAI's Responses API. An answer rests on a search where the caller lists the vendor's web search among the tools;
 * else it is plain inference. Nothing is stored.
 */
export const openaiResponses: Dialect<ResponsesInput> = {
  name: 'openai-responses',
  schema: responsesInput,
  parse: readResponses,
  ignored: ({ input }) => ignoredItems(input),
  format,
  formatError: openaiError,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    formatError: (failure, _reply, framesSent) => [errorEvent(failure, framesSent)],
  },
}

/** What a stream would have told, less the telling. */
function format(answer: Answer, reply: Reply<ResponsesInput>): unknown {
  const writer = new ResponseWriter(reply)
  for (const event of replay(answer)) writer.add(event)
  return writer.response
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ResponsesInput>,
): AsyncGenerator<Frame, void, undefined> {
  const writer = new ResponseWriter(reply)
  let begun = false
  for await (const event of events) {
    if (event.type === 'cache') continue
    // Not before the first news, so that whatever fails up to there keeps its status.
    if (!begun) yield* writer.begin()
    begun = true
    yield* writer.add(event)
  }
}

/** The fields stand flat beside the type. */
function errorEvent(failure: Failure, sequence: number): Frame {
  const { message, param, code } = openaiErrorFields(failure)
  return numberedEvent('error', { code, message, param }, sequence)
}
