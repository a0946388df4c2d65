import type { Scenario } from '../scenario.ts'
import type { TextBlock } from '../stream/message.ts'
import { markdownLink } from './markdown-link.ts'
import type { Page } from './pages.ts'
import { spoilText } from './spoil-text.ts'

/**
 * - `prose`: a summary with markdown links.
 * - `lines`: for each page `URL | YYYY-MM-DD | excerpt`, with `?` for a date that nobody knows.
 * - `word`: next to nothing.
 */
export type SearchTextFormat = 'prose' | 'lines' | 'word'

/** What the model of a search call says about the pages. As in the real API, cited words are blocks of their own. */
export function searchText(pages: readonly Page[], format: SearchTextFormat, scenario: Scenario): readonly TextBlock[] {
  if (pages.length === 0) return [text('Sandbox answer: no pages were found.')]
  if (format === 'word') return [text('Sandbox answer: done.')]
  return [
    text(`Sandbox answer: ${pages.length} invented pages were found.\n\n`),
    ...(format === 'lines' ? pages.flatMap(toLine) : toProse(pages)),
    ...spoilText(pages, scenario).map(text),
  ]
}

function toLine(page: Page): readonly TextBlock[] {
  return [text(`${page.url} | ${page.publishedAt ?? '?'} | `), cited(page.excerpt, page), text('\n')]
}

function toProse(pages: readonly Page[]): readonly TextBlock[] {
  return pages
    .slice(0, 3)
    .flatMap((page) => [text(`${markdownLink(page)} says: `), cited(page.excerpt, page), text(' ')])
}

function text(value: string): TextBlock {
  return { type: 'text', text: value }
}

function cited(value: string, { url, title, excerpt }: Page): TextBlock {
  const citation = { type: 'web_search_result_location', url, title, cited_text: excerpt } as const
  return { type: 'text', text: value, citations: [{ ...citation, encrypted_index: btoa(encodeURIComponent(url)) }] }
}
