import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { freshnessField } from '../../fields/dates.ts'
import { integerField, listField, optional } from '../../fields/field.ts'
import { countryField, domainField, languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import type { McpTool, ToolOffer, ToolReply } from './tool.ts'
import { sourceSchema, sourceText, toSource } from './tool.ts'

const maximumCount = 20
const defaultCount = 10
const maximumDomains = 20

const schema = z.object({
  query: queryField(ordinaryQuery),
  count: optional(integerField(1, maximumCount)),
  freshness: optional(freshnessField({ hour: 'hour', day: 'day', week: 'week', month: 'month', year: 'year' })),
  include_domains: optional(listField(domainField, maximumDomains)),
  exclude_domains: optional(listField(domainField, maximumDomains)),
  country: optional(countryField),
  language: optional(languageField),
})

type WebSearchInput = z.output<typeof schema>

const offer: ToolOffer = {
  name: 'web_search',
  title: 'Web search',
  description:
    'Search the web (internet) for current information: news, prices, releases, documentation, people, anything ' +
    'newer than your training or that you are not sure of. Returns a numbered list of pages with title, URL, date ' +
    'and excerpt. Takes a few seconds. Use ask_web instead when you want a written answer rather than pages.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to search for, in a few words or as a question' },
      count: {
        type: 'integer',
        minimum: 1,
        maximum: maximumCount,
        description: `Maximum number of pages. Default: up to ${defaultCount} from one search; more may need a second search`,
      },
      freshness: {
        type: 'string',
        description: 'Only pages published within the last hour, day, week, month or year, or YYYY-MM-DDtoYYYY-MM-DD',
      },
      include_domains: domainList('Only pages of these sites, such as python.org'),
      exclude_domains: domainList('No pages of these sites'),
      country: { type: 'string', description: 'Prefer pages from this country: two letters, such as DE' },
      language: { type: 'string', description: 'Prefer pages in this language: such as en or pt-br' },
    },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: { query: { type: 'string' }, results: { type: 'array', items: sourceSchema } },
    required: ['query', 'results'],
  },
}

/** A list of pages. */
export const mcpWebSearch: McpTool<WebSearchInput> = { offer, schema, parse, format }

/** No limit without a count: one search is enough, since a second one doubles the cost. */
function parse(input: WebSearchInput): SearchRequest {
  const filters = {
    ...input.freshness,
    includeDomains: input.include_domains,
    excludeDomains: input.exclude_domains,
    country: input.country,
    language: input.language,
  }
  return resultsRequest({ query: input.query, limit: input.count, filters })
}

function format(answer: Answer, { query, count = defaultCount }: WebSearchInput): ToolReply {
  const rows = sourcesOf(answer.searches).slice(0, count)
  const list = rows.map((row, index) => sourceText(row, index + 1)).join('\n\n')
  return {
    structured: { query, results: rows.map((row, index) => toSource(row, index + 1)) },
    text: list || `No page was found for "${query}". Try other words, or fewer filters.`,
  }
}

function domainList(description: string) {
  return { type: 'array', items: { type: 'string' }, maxItems: maximumDomains, description }
}
