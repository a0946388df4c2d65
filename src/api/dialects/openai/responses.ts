import { randomId } from '@csp/lib/bytes'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import type { Failure } from '../../exchange/failure.ts'
import { type EventWriter, numberedEvent, writeStream, writeWhole } from '../shared/responses/format.ts'
import { responsesErrorFields } from './error.ts'
import { KeptItems } from './kept-items.ts'
import { ignoredResponsesFields, type ResponsesInput, readResponses, responsesInput } from './responses-input.ts'
import { formatResponse } from './responses-object.ts'
import { ResponseWriter } from './responses-writer.ts'

/**
 * OpenAI's Responses API. A request with the vendor's web search among its tools is a search, and so is one for a
 * `sonar` model; any other is plain inference. The items of a response are kept for an hour, for references to them.
 */
export function createOpenaiResponses(kept = new KeptItems()): Dialect<ResponsesInput> {
  const resolved = (input: ResponsesInput) => ({ ...input, input: kept.resolve(input.input) })
  return {
    kind: 'search',
    schema: responsesInput,
    reference: {
      summary: 'Written answer with citations, where `web_search` is among the tools',
      example: { model: 'sonnet', input: 'How do heat pumps work in the cold?', tools: [{ type: 'web_search' }] },
    },
    parse: (input, models) => readResponses(resolved(input), models),
    model: ({ model }) => model,
    ignored: (input) => ignoredResponsesFields(resolved(input)),
    tellsRefusals: true,
    format: (answer, reply) => writeWhole(keepingWriter(reply, kept), answer),
    stream: {
      wanted: (input) => input.stream ?? false,
      format: (events, reply) => writeStream(keepingWriter(reply, kept), events),
      formatError: errorEvents,
    },
  }
}

/** Keeps the items before the last event goes out, so that the next turn finds them. */
export function keepingWriter(
  reply: Reply<ResponsesInput>,
  kept: KeptItems,
): EventWriter & Pick<ResponseWriter, 'add'> {
  // The id of the reply stands in logs and headers, and by the id of an item anybody may refer to it.
  const writer = new ResponseWriter(reply, randomId())
  return {
    begin: () => writer.begin(),
    add(event) {
      const frames = writer.add(event)
      if (event.type === 'done' && reply.input.store !== false) kept.keep(writer.output)
      return frames
    },
    get response() {
      return writer.response
    },
  }
}

/**
 * The fields of the error are flat, beside the type. The vendor's libraries throw at it; Codex waits for a response that
 * failed, and takes a stream without one for a broken line, which it tries again thirty times.
 */
export function errorEvents(failure: Failure, reply: Reply<ResponsesInput>, sequence: number): readonly Frame[] {
  const { message, param, code } = responsesErrorFields(failure)
  const response = formatResponse(reply, [], undefined, { status: 'failed', failure })
  return [
    numberedEvent('error', { code, message, param }, sequence),
    numberedEvent('response.failed', { response }, sequence + 1),
  ]
}
