import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { freshnessField } from '../../fields/dates.ts'
import { listField, optional } from '../../fields/field.ts'
import { atMost, countField, countryWords, freshnessWords, languageWords, lenient } from '../../fields/lenient.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { countNote, type McpTool, sourceSchema, sourceText, type ToolReply, toSource } from './tool.ts'

const defaultCount = 10

const fields = z.object({
  query: queryField(ordinaryQuery).describe('What to search for, in a few words or as a question'),
  count: optional(countField()).describe(
    `Maximum number of pages. Default: up to ${defaultCount} from one search; more may need a second search`,
  ),
  freshness: optional(
    freshnessWords(freshnessField({ hour: 'hour', day: 'day', week: 'week', month: 'month', year: 'year' })),
  ).describe('Only pages published within the last hour, day, week, month or year, or YYYY-MM-DDtoYYYY-MM-DD'),
  include_domains: optional(listField(domainField, 20)).describe('Only pages of these sites, such as python.org'),
  exclude_domains: optional(listField(domainField, 20)).describe('No pages of these sites'),
  country: optional(countryWords(countryField)).describe('Prefer pages from this country: two letters, such as DE'),
  language: optional(languageWords(languageField)).describe('Prefer pages in this language: such as en or pt-br'),
})

const schema = lenient(fields, ['query'])

type WebSearchInput = z.output<typeof schema>

/** A list of pages. */
export const mcpWebSearch: McpTool<WebSearchInput> = {
  name: 'web_search',
  title: 'Web search',
  description:
    'Search the web (internet) for current information: news, prices, releases, documentation, people, anything ' +
    'newer than your training or that you are not sure of. Returns a numbered list of pages with title, URL, date ' +
    'and excerpt. Takes a few seconds. Use ask_web instead when you want a written answer rather than pages.',
  schema,
  output: z.object({ query: z.string(), results: z.array(sourceSchema) }),
  parse,
  format,
}

/** No limit without a count: one search is enough, since a second one doubles the cost. */
function parse(input: WebSearchInput): SearchRequest {
  const filters = {
    ...input.freshness,
    includeDomains: input.include_domains,
    excludeDomains: input.exclude_domains,
    country: input.country,
    language: input.language,
  }
  return resultsRequest({ query: input.query, limit: input.count && atMost(input.count), filters })
}

function format(answer: Answer, { query, count = defaultCount }: WebSearchInput): ToolReply {
  const rows = sourcesOf(answer.searches).slice(0, atMost(count))
  const list = rows.map((row, index) => sourceText(row, index + 1)).join('\n\n')
  return {
    structured: { query, results: rows.map((row, index) => toSource(row, index + 1)) },
    text: (list || `No page was found for "${query}". Try other words, or fewer filters.`) + countNote(count),
  }
}
