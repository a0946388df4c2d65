import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { domainListField } from '../../fields/domain-list-field.ts'
import { integerField, optional } from '../../fields/field.ts'
import { ignoredFields } from '../../fields/ignored-fields.ts'
import { countryField, languageField } from '../../fields/place-field.ts'
import { ordinaryQuery, queryField } from '../../fields/query-field.ts'
import { invalid } from '../../http/refusal.ts'
import { timeField } from './time.ts'

const sourceField = z.enum(['web', 'news', 'images'])

const schema = z.object({
  query: queryField(ordinaryQuery),
  limit: optional(integerField(1, 100)),
  sources: optional(z.array(z.union([sourceField, z.object({ type: sourceField }).transform(({ type }) => type)]))),
  includeDomains: domainListField(100),
  excludeDomains: domainListField(100),
  tbs: optional(timeField),
  country: optional(countryField),
  lang: optional(languageField),
  location: optional(z.unknown()),
  categories: optional(z.unknown()),
  scrapeOptions: optional(z.unknown()),
})

export type FirecrawlSearchInput = z.output<typeof schema>

/** Firecrawl's search; version 1 has a bare list where version 2 has a list for each kind of source. Nothing is scraped. */
export function firecrawlSearch(version: 1 | 2): Dialect<FirecrawlSearchInput> {
  return {
    schema,
    parse,
    ignored: (input) => ignoredFields(input, ['location', 'categories', 'scrapeOptions']),
    format: version === 1 ? formatList : formatBySource,
  }
}

const defaultLimit = 5

function parse(input: FirecrawlSearchInput): SearchRequest {
  const kind = kindOf(input)
  if (kind === 'images') {
    throw invalid({ path: ['sources'], type: 'value_error', message: 'Images cannot be searched for here' })
  }
  const { includeDomains, excludeDomains } = input
  return resultsRequest({
    query: input.query,
    limit: input.limit,
    filters: {
      ...input.tbs,
      includeDomains,
      excludeDomains,
      country: input.country,
      language: input.lang,
      category: kind === 'news' ? 'news' : undefined,
    },
  })
}

function formatList(answer: Answer, reply: Reply<FirecrawlSearchInput>): unknown {
  return { success: true, data: rowsOf(answer, reply).map(formatPage) }
}

/** One search is made, so the rows go to one kind, and each other kind that was asked for is empty. */
function formatBySource(answer: Answer, reply: Reply<FirecrawlSearchInput>): unknown {
  const kind = kindOf(reply.input)
  const rows = rowsOf(answer, reply)
  const asked = (reply.input.sources ?? []).map((name) => [name, []] as const)
  return {
    success: true,
    data: { ...Object.fromEntries(asked), [kind]: rows.map(kind === 'news' ? formatNews : formatPage) },
    warning: null,
    id: reply.id,
    creditsUsed: 0,
  }
}

function rowsOf(answer: Answer, { input }: Reply<FirecrawlSearchInput>): readonly SearchResult[] {
  return sourcesOf(answer.searches).slice(0, input.limit ?? defaultLimit)
}

/** What kind the search is for. Pages come first: a search for them finds news as well. */
function kindOf({ sources = [] }: FirecrawlSearchInput): z.output<typeof sourceField> {
  if (sources.length === 0 || sources.includes('web')) return 'web'
  return sources.includes('news') ? 'news' : 'images'
}

function formatPage({ title, url, snippet, publishedAt }: SearchResult, index: number): unknown {
  return { url, title, description: snippet ?? '', position: index + 1, publishedDate: publishedAt }
}

function formatNews({ title, url, snippet, publishedAt }: SearchResult, index: number): unknown {
  return { url, title, snippet: snippet ?? '', position: index + 1, date: publishedAt }
}
