import { pageKey } from '@csp/lib/url'
import type { SearchResult } from '../../domain/search.ts'

/**
 * The rows of several lists as one, by reciprocal ranks: each page once, first the one whose ranks say most. What one list
 * leaves open of a page, another may say; its address is the one for all devices, where a list has that. A single list
 * stays as it is.
 */
export function mergedRows(lists: readonly (readonly SearchResult[])[]): readonly SearchResult[] {
  const [only = [], ...others] = lists.filter((rows) => rows.length > 0)
  if (others.length === 0) return only
  const pages = new Map<string, Ranked>()
  for (const rows of lists) addRanks(pages, rows)
  return [...pages.values()].toSorted((a, b) => b.score - a.score).map(rowOf)
}

/** A page with the rows that lists have for it. */
interface Ranked {
  score: number
  best: SearchResult
  bestRank: number
  readonly rows: SearchResult[]
}

/** The usual constant: ranks far down still count a little, and no single first place decides. */
const damping = 60

function addRanks(pages: Map<string, Ranked>, rows: readonly SearchResult[]): void {
  const seen = new Set<string>()
  for (const row of rows) {
    const key = anyDeviceKey(row.url)
    if (seen.has(key)) continue
    seen.add(key)
    const rank = seen.size
    const page = pages.get(key) ?? { score: 0, best: row, bestRank: rank, rows: [] }
    page.score += 1 / (damping + rank)
    page.rows.push(row)
    if (rank < page.bestRank) Object.assign(page, { best: row, bestRank: rank })
    pages.set(key, page)
  }
}

/** Without a score: those of different backends cannot be compared. */
function rowOf({ best: { score: _, ...best }, rows }: Ranked): SearchResult {
  const all = [best, ...rows]
  const worded = all.find(({ snippet }) => snippet)
  const publishedAt = all.find((row) => row.publishedAt)?.publishedAt
  return {
    ...best,
    url: all.find(({ url }) => anyDeviceKey(url) === pageKey(url))?.url ?? best.url,
    ...(worded && { snippet: worded.snippet, passages: worded.passages }),
    ...(publishedAt && { publishedAt }),
    source: [...new Set(rows.map(({ source }) => source))].join(', '),
  }
}

/** Equal for the addresses of one page for all devices, for phones and as AMP. */
export function anyDeviceKey(url: string): string {
  const [, host = '', path = '', query = ''] = /^([^/?]*)([^?]*)\??(.*)$/s.exec(pageKey(url)) ?? []
  const kept = query.split('&').filter((part) => part && !ampField.test(part))
  const anyHost = host.replace(/(^|\.)(?:m|mobile|amp)\.(?=[^.]+\.)/, '$1')
  const anyPath = path.replace(/^\/amp(?=\/)/, '').replace(/(?<=[^/])(?:\/amp|\.amp(?:\.html)?)$/, '')
  return anyHost + anyPath + (kept.length > 0 ? `?${kept.join('&')}` : '')
}

const ampField = /^(?:amp(?:=(?:1|true)?)?|outputType=amp)$/
