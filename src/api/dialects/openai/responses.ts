import type { Dialect, Failure, Frame } from '../../dialect.ts'
import { openaiErrorFields } from '../shared/errors.ts'
import { numberedEvent, writeStream, writeWhole } from '../shared/responses-format.ts'
import { ignoredResponsesFields, type ResponsesInput, readResponses, responsesInput } from './responses-input.ts'
import { ResponseWriter } from './responses-writer.ts'

/**
 * OpenAI's Responses API. A request with the vendor's web search among its tools is a search, and so is one for a
 * `sonar` model; any other is plain inference. Nothing is stored.
 */
export const openaiResponses: Dialect<ResponsesInput> = {
  schema: responsesInput,
  parse: readResponses,
  ignored: ignoredResponsesFields,
  format: (answer, reply) => writeWhole(new ResponseWriter(reply), answer),
  stream: {
    wanted: (input) => input.stream ?? false,
    format: (events, reply) => writeStream(new ResponseWriter(reply), events),
    formatError: (failure, _reply, framesSent) => [errorEvent(failure, framesSent)],
  },
}

/** The fields are flat, beside the type. */
function errorEvent(failure: Failure, sequence: number): Frame {
  const { message, param, code } = openaiErrorFields(failure)
  return numberedEvent('error', { code, message, param }, sequence)
}
