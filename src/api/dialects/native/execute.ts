import { z } from 'zod'
import { modelNamePattern } from '../../../domain/model.ts'
import type { SearchFilters, SearchRequest, Turn } from '../../../domain/search.ts'
import { resultSchema } from '../../../executor/wire/schemas.ts'
import type { Dialect } from '../../dialect.ts'
import { isoDateField } from '../../fields/dates.ts'
import { evidenceModeField, excerptSourceField, mergeField } from '../../fields/excerpts.ts'
import { optional } from '../../fields/field.ts'
import { locationFields, timeZone } from '../../fields/location.ts'
import { countryField, domainListField, languageField } from '../../fields/places.ts'
import { queryField } from '../../fields/query.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { executeError } from './error.ts'

const text = z.string()
const toolName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Input should be letters, digits, _ and -, at most 64')
const json = z.record(z.string(), z.unknown())

const toolCall = z.object({ id: text, name: toolName, arguments: text })

const turn: z.ZodType<Turn> = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), text }),
  z.object({ role: z.literal('assistant'), text, toolCalls: optional(z.array(toolCall)) }),
  z.object({ role: z.literal('tool'), text, callId: text }),
])

const filters: z.ZodType<SearchFilters> = z.object({
  includeDomains: domainListField(1000),
  excludeDomains: domainListField(1000),
  freshness: optional(z.enum(['hour', 'day', 'week', 'month', 'year'])),
  publishedAfter: optional(isoDateField),
  publishedBefore: optional(isoDateField),
  country: optional(countryField),
  city: locationFields.city,
  region: locationFields.region,
  // The other csp may know more of them.
  timezone: locationFields.timezone.transform(timeZone),
  language: optional(languageField),
  safeSearch: optional(z.enum(['off', 'moderate', 'strict'])),
  category: optional(z.enum(['news', 'academic', 'finance', 'videos', 'images', 'code', 'people'])),
})

const sentRequest = z.object({
  query: queryField({ maxCharacters: 1_000_000, keepLines: true }),
  history: z.array(turn).max(10_000),
  continuation: optional(z.array(turn).max(10_000)),
  want: z.enum(['results', 'answer', 'text']),
  effort: z.enum(['fast', 'standard', 'deep']),
  research: optional(z.enum(['low', 'medium', 'high'])),
  sources: optional(z.array(resultSchema).max(100)),
  filters,
  limit: optional(z.int().min(1).max(1000)),
  offset: optional(z.int().min(0).max(10_000)),
  instructions: optional(text),
  // It becomes a variable of the CLI's environment.
  model: optional(z.string().regex(modelNamePattern, 'Input should be the name of a model')),
  maxSearches: optional(z.int().min(1).max(1000)),
  exclude: optional(z.array(text).max(1000)),
  cursor: optional(z.int().min(0).max(10_000)),
  merge: optional(mergeField),
  excerpts: optional(excerptSourceField),
  memory: optional(
    z.union([
      z.enum(['last', 'never']),
      z.object({ seenAfter: optional(z.iso.datetime()), similarTo: optional(text) }),
    ]),
  ),
  evidence: optional(evidenceModeField),
  tools: optional(z.array(z.object({ name: toolName, description: optional(text), parameters: json })).max(1000)),
  toolChoice: optional(z.union([z.enum(['auto', 'none', 'required']), z.object({ name: toolName })])),
  schema: optional(json),
  stop: optional(z.array(text.min(1)).max(100)),
})

/**
 * A search request from another csp, checked as strictly as the dialects do together: it must not allow more than they
 * do. Each field is checked, but not whether this kind of request has it: another version of csp may send more.
 */
export const requestSchema = sentRequest as z.ZodType<SearchRequest>

/**
 * The protocol between two csps; its client is `executor/backends/remote`. The request is a `SearchRequest`, the reply
 * a stream of `SearchEvent`s, one in each server-sent event. It ends with `done` or with `error`; a failure before the
 * first event is a reply with its own status and the same `error`.
 */
export const execute: Dialect<{ readonly request: SearchRequest }, SearchRequest> = {
  kind: 'search',
  schema: z.object({ request: requestSchema }),
  reference: {
    summary: 'What one csp sends to another: a request and its events in their own words, always streamed',
    example: {
      request: { query: 'heat pumps in the cold', history: [], want: 'results', effort: 'fast', filters: {} },
    },
  },
  // The csp that asks may have a backend that searches, or a memory of its own.
  parse: ({ request }) => ({ ...request, memory: request.memory ?? 'never' }),
  format: (answer) => answer,
  keepsUsage: true,
  stream: {
    wanted: () => true,
    async *format(events) {
      for await (const event of events) yield jsonFrame(event)
    },
    formatError: (failure) => [jsonFrame(executeError(failure).body)],
  },
}
