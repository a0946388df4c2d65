import type { SearchResult } from '../../../domain/search.ts'

/** A page as Bing has it, and Bocha after it. What is not known is left out. `write` prepares text for its reader. */
export function formatWebPage(
  { title, url, snippet = '', publishedAt }: SearchResult,
  position: number,
  write = (text: string) => text,
) {
  return {
    id: `#WebPages.${position}`,
    name: write(title),
    url,
    displayUrl: url,
    snippet: write(snippet),
    datePublished: publishedAt && `${publishedAt}T00:00:00`,
  }
}
