import { counted } from '@csp/lib/text'
import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { booleanField, integerField, nameField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { longDate, siteOf } from '../shared/row.ts'
import { faviconOf } from '../shared/sources.ts'
import { braveRateLimit } from './error.ts'
import { braveGogglesField, braveLocationHeaders, braveSearchFields, defaultCount, readBraveSearch } from './search.ts'

const schema = z.object({
  ...braveSearchFields,
  count: optional(integerField(1, 50)),
  maximum_number_of_urls: optional(integerField(1, 50)),
  maximum_number_of_tokens: optional(integerField(1024, 32768)),
  maximum_number_of_snippets: optional(integerField(1, 256)),
  maximum_number_of_tokens_per_url: optional(integerField(512, 8192)),
  maximum_number_of_snippets_per_url: optional(integerField(1, 100)),
  context_threshold_mode: withoutEffect(optional(nameField(['strict', 'balanced', 'lenient', 'disabled']))),
  goggles: braveGogglesField,
  enable_local: withoutEffect(optional(booleanField)),
  enable_source_metadata: optional(booleanField),
})

type BraveContextInput = z.output<typeof schema>

/**
 * Brave's context for models, `/res/v1/llm/context`, by GET or POST. The snippets of a page are its excerpt and, where
 * the page was read, further passages.
 */
export const braveContext = listDialect({
  schema,
  reference: {
    summary: 'Passages of pages for a model',
    example: { q: 'heat pumps in the cold', maximum_number_of_tokens: 4096 },
    headers: braveLocationHeaders,
  },
  pageSize: defaultCount,
  page: (input) => ({ rows: input.count && maximumPages(input) }),
  request: readBraveSearch,
  reply(rows, { input, createdAt }) {
    const pages = withinBudget(rows.slice(0, maximumPages(input)), input)
    return {
      grounding: {
        generic: pages.map(({ url, title, snippets }) => ({ url, title, snippets })),
        // Never absent: the vendor's own MCP server refuses a reply without it.
        map: [],
      },
      sources: Object.fromEntries(pages.map((page) => [page.url, formatSource(page, input, createdAt)])),
    }
  },
  headers: braveRateLimit(),
})

const charactersPerToken = 4

function maximumPages({ count, maximum_number_of_urls, maximum_number_of_snippets }: BraveContextInput): number {
  return Math.min(count ?? defaultCount, maximum_number_of_urls ?? defaultCount, maximum_number_of_snippets ?? 50)
}

interface ContextPage extends SearchResult {
  readonly snippets: readonly string[]
}

/**
 * The first pages whose excerpts fit in, with as many of their other passages as fit behind them: a page more says more
 * than another passage of the same one.
 */
function withinBudget(rows: readonly SearchResult[], input: BraveContextInput): readonly ContextPage[] {
  const { maximum_number_of_tokens = 8192, maximum_number_of_tokens_per_url = 4096 } = input
  const { maximum_number_of_snippets = 50, maximum_number_of_snippets_per_url = 50 } = input
  let charactersLeft = maximum_number_of_tokens * charactersPerToken
  let snippetsLeft = maximum_number_of_snippets
  const firstBeyond = rows.findIndex(({ snippet = '' }) => {
    charactersLeft -= snippet.length
    if (snippet) snippetsLeft--
    return charactersLeft < 0 || snippetsLeft < 0
  })
  if (firstBeyond >= 0) return rows.slice(0, firstBeyond).map((row) => ({ ...row, snippets: listed(row.snippet) }))
  return rows.map((row) => {
    const { snippet, passages = [] } = row
    const snippets = listed(snippet)
    let charactersOfPage = maximum_number_of_tokens_per_url * charactersPerToken - (snippet?.length ?? 0)
    for (const passage of passages) {
      const isTooLong = passage.length > Math.min(charactersLeft, charactersOfPage)
      if (isTooLong || snippetsLeft <= 0 || snippets.length >= maximum_number_of_snippets_per_url) break
      snippets.push(passage)
      charactersLeft -= passage.length
      charactersOfPage -= passage.length
      snippetsLeft--
    }
    return { ...row, snippets }
  })
}

function listed(snippet: string | undefined): string[] {
  return snippet ? [snippet] : []
}

function formatSource(row: SearchResult, input: BraveContextInput, now: Date): unknown {
  const { title, url, publishedAt } = row
  return {
    title,
    hostname: siteOf(row),
    // Left out when unknown: null, too, is refused by the vendor's own MCP server.
    age: publishedAt && describeAge(publishedAt, now),
    favicon: input.enable_source_metadata ? faviconOf(url) : undefined,
  }
}

/** The date in words, as ISO 8601, and in days before now. */
function describeAge(date: string, now: Date): readonly string[] {
  const published = new Date(date)
  const days = Math.max(0, Math.floor((now.getTime() - published.getTime()) / dayMs))
  return [`${weekdays[published.getUTCDay()]}, ${longDate(date)}`, date, `${counted(days, 'day')} ago`]
}

const dayMs = 24 * 60 * 60 * 1000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
