import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { type Answer, resultsRequest, type SearchRequest } from '../../../domain/search.ts'
import { isoDateField } from '../../fields/dates.ts'
import { listField, optional } from '../../fields/field.ts'
import { atMost, countField, lenient } from '../../fields/lenient.ts'
import { domainField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { countNote, type McpTool, sourceSchema, sourceText, type ToolReply, toSource } from './tool.ts'

const defaultCount = 10

const fields = z.object({
  query: queryField(ordinaryQuery).describe('What to look for, in a few words or as a question'),
  count: optional(countField()).describe(`Maximum number of pages. Default: ${defaultCount}`),
  seen_since: optional(isoDateField).describe('Only pages that were seen since this day: YYYY-MM-DD'),
  include_domains: optional(listField(domainField, 20)).describe('Only pages of these sites, such as python.org'),
})

const schema = lenient(fields, ['query'])

type RecallInput = z.output<typeof schema>

/** A list of pages from memory. */
export const mcpRecall: McpTool<RecallInput> = {
  name: 'recall',
  title: 'Pages seen before',
  description:
    'Look through the pages that earlier searches found and read, at once and without a search: for what you or the ' +
    'user read before, or when web_search fails. Returns a numbered list of pages with title, URL, excerpt and the ' +
    'day when each was seen. What is on them may have changed since. Use web_search for what is current.',
  schema,
  output: z.object({ query: z.string(), results: z.array(sourceSchema) }),
  parse({ query, count = defaultCount, seen_since, include_domains }): SearchRequest {
    const seenAfter = seen_since && `${seen_since}T00:00:00Z`
    const filters = { includeDomains: include_domains }
    return { ...resultsRequest({ query, limit: atMost(count), filters }), memory: { seenAfter } }
  },
  format(answer: Answer, { query, count = defaultCount }: RecallInput): ToolReply {
    const rows = sourcesOf(answer.searches)
    const list = rows.map((row, index) => sourceText(row, index + 1)).join('\n\n')
    return {
      structured: { query, results: rows.map((row, index) => toSource(row, index + 1)) },
      text: (list || `No page that was seen before fits "${query}". Use web_search.`) + countNote(count),
    }
  },
}
