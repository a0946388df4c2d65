import { cleanTitle, plainSnippet } from '@csp/lib/snippet'
import { isWebAddress } from '@csp/lib/url'
import { choosePassages } from '@csp/passages/passages'
import { z } from 'zod'
import type { SearchRequest, SearchResult } from '../../../domain/search.ts'
import { parseExcerpts } from '../../answer/excerpts.ts'
import { selectRows } from '../../answer/select-rows.ts'

/** A page that the search tool found. `snippet`: text of the page, which some versions and accounts get. */
export interface Hit {
  readonly title: string
  readonly url: string
  readonly snippet?: string | undefined
}

/** The output of the CLI's WebSearch tool, over MCP and within a turn. */
export interface ToolOutput {
  /** Whether the search tool was used at all, even if it found nothing. */
  readonly searched: boolean
  readonly hits: readonly Hit[]
  /** The text that the search call's model wrote. */
  readonly text: string
  /** Why every search in the call failed: the search tool's own code, such as `too_many_requests`, or `session_budget`. */
  readonly error: string | undefined
}

const hit = z.object({ title: z.string(), url: z.string(), snippet: z.string().optional().catch(undefined) })
const group = z.object({ content: z.array(z.union([hit, z.unknown().transform(() => undefined)])) })

/** Parses `{query, results: [{content: [{title, url}]} | text, …], searchCount}`. */
export const toolOutputSchema: z.ZodType<ToolOutput> = z
  .object({ results: z.array(z.union([z.string(), group, z.unknown().transform(() => undefined)])) })
  .transform(({ results }) => {
    const groups = results.filter((result) => typeof result === 'object')
    const errors = results.map(errorCode).filter((code) => code !== undefined)
    // Text before the first results was written before the search, and has no sources.
    const first = results.findIndex((result) => typeof result === 'object')
    const texts = results.slice(Math.max(0, first)).filter(isSummary)
    return {
      searched: groups.length > 0 || errors.length > 0,
      hits: groups.flatMap(({ content }) => content.filter((row) => row !== undefined)),
      text: texts.join('\n\n').trim(),
      error: groups.length === 0 ? errors[0] : undefined,
    }
  })

/** The CLI reports a failed search as a text among the results. */
function errorCode(result: unknown): string | undefined {
  if (typeof result !== 'string') return undefined
  if (/^Web search was not performed: .*budget is used up/.test(result)) return 'session_budget'
  return /^Web search error: ([a-z_]+)$/.exec(result)?.[1]
}

/** Text of the search call's model, not a remark of the CLI. */
function isSummary(result: unknown): result is string {
  return typeof result === 'string' && errorCode(result) === undefined && !remark.test(result)
}

const remark = /^\d+ results? left out by allowed_domains or blocked_domains\.$/

/** The results of a search, as csp passes them on. */
export interface Found {
  /** The rows that the request asks for, each with the excerpt and date that the search call wrote of it. */
  readonly rows: readonly SearchResult[]
  /** What else the search call wrote. */
  readonly notes: string
}

/** A short text is an excerpt as it is. */
function passagesOf(pageText: string, query: string): readonly string[] {
  if (pageText.length > maxExcerpt) return choosePassages(pageText, query)
  return [plainSnippet(pageText)].filter((text) => text !== undefined)
}

const maxExcerpt = 500

/** Converts the output of the search tool: titles and URLs from its hits, excerpts and dates from its text, otherwise from the pages' own text. */
export function readOutput(output: ToolOutput, request: SearchRequest, now: Date): Found {
  const hits = output.hits.filter(({ url }) => isWebAddress(url))
  const { excerpts, rest } = parseExcerpts(output.text, output.hits, now)
  const found = hits.map(({ title, url, snippet: pageText = '' }) => {
    const { snippet: written, publishedAt } = excerpts.get(url) ?? {}
    const passages = passagesOf(pageText, request.query)
    const further = written === undefined ? passages.slice(1) : passages
    return {
      title: cleanTitle(title, url),
      url,
      snippet: written ?? passages[0],
      ...(further.length > 0 && { passages: further }),
      publishedAt,
      source: 'claude',
    }
  })
  return { rows: selectRows(found, request, now), notes: rest }
}
