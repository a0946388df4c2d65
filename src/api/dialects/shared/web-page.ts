import type { SearchResult } from '../../../domain/search.ts'
import { midnightOf } from './row.ts'

/** A page as Bing has it, and Bocha after it. What is not known is left out. `write` prepares text for its reader. */
export function formatWebPage(row: SearchResult, position: number, write = (text: string) => text) {
  const { title, url, snippet = '' } = row
  return {
    id: `#WebPages.${position}`,
    name: write(title),
    url,
    displayUrl: url,
    snippet: write(snippet),
    datePublished: midnightOf(row),
  }
}
