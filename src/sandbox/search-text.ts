import type { TextBlock } from './message.ts'
import type { Page } from './pages.ts'
import type { Scenario } from './scenario.ts'
import { spoilText } from './spoil-text.ts'

export interface SearchTextOptions {
  /** A line `URL | YYYY-MM-DD | excerpt` for each page, as csp asks for, instead of prose with links. */
  readonly asLines: boolean
  readonly scenario: Scenario
}

/** What the model of a search call says about the pages. As in the real API, cited words are blocks of their own. */
export function searchText(pages: readonly Page[], { asLines, scenario }: SearchTextOptions): readonly TextBlock[] {
  if (pages.length === 0) return [text('Sandbox answer: no pages were found.')]
  return [
    text(`Sandbox answer: ${pages.length} invented pages were found.\n\n`),
    ...(asLines ? pages.flatMap(toLine) : toProse(pages)),
    ...spoilText(pages, scenario).map(text),
  ]
}

function toLine(page: Page): readonly TextBlock[] {
  return [text(`${page.url} | ${page.publishedAt ?? '?'} | `), cited(page.excerpt, page), text('\n')]
}

function toProse(pages: readonly Page[]): readonly TextBlock[] {
  return pages
    .slice(0, 3)
    .flatMap((page) => [text(`[${linkTitle(page)}](${page.url}) says: `), cited(page.excerpt, page), text(' ')])
}

/** Brackets inside a link's text would end it early. */
function linkTitle({ title }: Page): string {
  return title.replace(/[[\]]/g, '\\$&')
}

function text(value: string): TextBlock {
  return { type: 'text', text: value }
}

function cited(value: string, { url, title, excerpt }: Page): TextBlock {
  const citation = { type: 'web_search_result_location', url, title, cited_text: excerpt } as const
  return { type: 'text', text: value, citations: [{ ...citation, encrypted_index: btoa(encodeURIComponent(url)) }] }
}
