import { z } from 'zod'
import type { SearchRequest } from '../../../domain/search.ts'
import type { Dialect } from '../../dialect.ts'
import { jsonFrame } from '../../serve/json-frame.ts'
import { executeError } from './error.ts'
import { requestSchema } from './request-schema.ts'

/**
 * What one csp says to another, read by `executor/remote.ts`: a search request in our own words, answered by our own
 * events, one a server-sent event. It ends with `done` or with `error`; what fails before the first event is a reply
 * of its own status with the same `error`.
 */
export const execute: Dialect<{ readonly request: SearchRequest }, SearchRequest> = {
  schema: z.object({ request: requestSchema }),
  parse: ({ request }) => request,
  format: (answer) => answer,
  stream: {
    wanted: () => true,
    async *format(events) {
      for await (const event of events) yield jsonFrame(event)
    },
    formatError: (failure) => [jsonFrame(executeError(failure).body)],
  },
}
