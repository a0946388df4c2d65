import { z } from 'zod'
import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { isWebAddress } from '../../../lib/url.ts'
import { parseExcerpts } from '../../answer/excerpts.ts'
import { cleanTitle } from '../../answer/row-text.ts'
import { selectRows } from '../../answer/select-rows.ts'

/** The output of the CLI's WebSearch tool, over MCP and within a turn. */
export interface ToolOutput {
  /** Whether the search tool was used at all, even if it found nothing. */
  readonly searched: boolean
  readonly hits: readonly { readonly title: string; readonly url: string }[]
  /** The text that the search call's model wrote. */
  readonly text: string
  /** The search tool's own error code, when every search in the call failed: `too_many_requests`, … */
  readonly error: string | undefined
}

const hit = z.object({ title: z.string(), url: z.string() })
const group = z.object({ content: z.array(z.union([hit, z.unknown().transform(() => undefined)])) })

/** Parses `{query, results: [{content: [{title, url}]} | text, …], searchCount}`. */
export const toolOutputSchema: z.ZodType<ToolOutput> = z
  .object({ results: z.array(z.union([z.string(), group, z.unknown().transform(() => undefined)])) })
  .transform(({ results }) => {
    const groups = results.filter((result) => typeof result === 'object')
    const errors = results.map(errorCode).filter((code) => code !== undefined)
    // Text before the first results was written before the search, and has no sources.
    const written =
      groups.length > 0 ? results.slice(results.findIndex((result) => typeof result === 'object')) : results
    const texts = written.filter((result) => typeof result === 'string' && errorCode(result) === undefined)
    return {
      searched: groups.length > 0 || errors.length > 0,
      hits: groups.flatMap(({ content }) => content.filter((row) => row !== undefined)),
      text: texts.join('\n\n').trim(),
      error: groups.length === 0 ? errors[0] : undefined,
    }
  })

/** The CLI reports a failed search as a text among the results. */
function errorCode(result: unknown): string | undefined {
  return typeof result === 'string' ? /^Web search error: ([a-z_]+)$/.exec(result)?.[1] : undefined
}

/** The results of a search, as csp passes them on. */
export interface Found {
  /** The rows that the request asks for, each with the excerpt and date that the search call wrote of it. */
  readonly rows: readonly SearchResult[]
  /** What else the search call wrote. */
  readonly notes: string
}

/** Converts the output of the search tool: titles and URLs from its hits, excerpts and dates from its text. */
export function readOutput(output: ToolOutput, request: SearchRequest, now: Date): Found {
  const hits = output.hits.filter(({ url }) => isWebAddress(url))
  const { excerpts, rest } = parseExcerpts(output.text, hits, now)
  const found = hits.map(({ title, url }) => {
    const { snippet, publishedAt } = excerpts.get(url) ?? {}
    return { title: cleanTitle(title, url), url, snippet, publishedAt, source: 'claude' }
  })
  return { rows: selectRows(found, request, now), notes: rest }
}
