import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { isWebAddress } from '../../../lib/url.ts'
import { cleanTitle } from '../../answer/clean-title.ts'
import { parseExcerpts } from '../../answer/excerpts.ts'
import { selectRows } from '../../answer/select-rows.ts'
import type { ToolOutput } from './search-output.ts'

/** What a search brought, as csp passes it on. */
export interface Found {
  /** The rows that the request asks for, each with the excerpt and date that the search call wrote of it. */
  readonly rows: readonly SearchResult[]
  /** What the search call wrote besides. */
  readonly notes: string
}

/** Reads the output of the search tool: titles and URLs from its hits, excerpts and dates from its text. */
export function readOutput(output: ToolOutput, request: SearchRequest, now: Date): Found {
  const hits = output.hits.filter(({ url }) => isWebAddress(url))
  const { excerpts, rest } = parseExcerpts(output.text, hits, now)
  const found = hits.map(({ title, url }) => {
    const { snippet, publishedAt } = excerpts.get(url) ?? {}
    return { title: cleanTitle(title, url), url, snippet, publishedAt, source: 'claude' }
  })
  return { rows: selectRows(found, request, now), notes: rest }
}
