import type { Scenario } from '../scenario.ts'
import type { TextBlock } from '../stream/message.ts'
import type { FoundPage } from './pages.ts'

/**
 * - `prose`: a summary with markdown links.
 * - `numbered`: for each page `3 site|YYYYMMDD|excerpt`, with its place among the results.
 * - `lines`: for each page `URL | YYYY-MM-DD | excerpt`, with `?` for an unknown date.
 * - `word`: a single short sentence.
 */
export type SearchTextFormat = 'prose' | 'numbered' | 'lines' | 'word'

/** The text of a search call. As in the real API, cited text is in separate blocks. */
export function searchText(
  pages: readonly FoundPage[],
  format: SearchTextFormat,
  scenario: Scenario,
): readonly TextBlock[] {
  if (pages.length === 0) return [textBlock('Sandbox answer: no pages were found.')]
  if (format === 'word') return [textBlock('Sandbox answer: done.')]
  return [
    textBlock(`Sandbox answer: ${pages.length} invented pages were found.\n\n`),
    ...(format === 'prose' ? toProse(pages) : pages.flatMap((page, index) => toLine(page, format, index + 1))),
    ...spoilText(pages, scenario).map(textBlock),
  ]
}

function toLine(page: FoundPage, format: SearchTextFormat, number: number): readonly TextBlock[] {
  const start =
    format === 'numbered'
      ? `${number} ${siteOf(page.url)}|${page.publishedAt?.replaceAll('-', '') ?? '?'}|`
      : `${page.url} | ${page.publishedAt ?? '?'} | `
  return [textBlock(start), cited(page.excerpt, page), textBlock('\n')]
}

/** `example` for docs.example.com; an address has no shorter name. */
function siteOf(url: string): string {
  const { hostname } = new URL(url)
  return /^[\d.]+$/.test(hostname) ? hostname : (hostname.split('.').at(-2) ?? hostname)
}

function toProse(pages: readonly FoundPage[]): readonly TextBlock[] {
  return pages
    .slice(0, 3)
    .flatMap((page) => [textBlock(`${markdownLink(page)} says: `), cited(page.excerpt, page), textBlock(' ')])
}

/** An answer from pages, with what it takes of each as a citation of the API. */
export function citedAnswer(pages: readonly FoundPage[]): readonly TextBlock[] {
  if (pages.length === 0) return [textBlock('Sandbox answer: no pages were found.')]
  const said = pages.slice(0, 4).flatMap((page) => [cited(page.excerpt, page), textBlock(' ')])
  return [textBlock('Sandbox answer: all of this is invented. '), ...said.slice(0, -1)]
}

/** The same with links in place of citations. */
export function linkedAnswer(pages: readonly FoundPage[]): readonly TextBlock[] {
  return [textBlock('Sandbox answer: '), ...toProse(pages).map(({ text }) => textBlock(text))]
}

/** A part of a written answer: a statement and the page that it rests on, or what stands between two. */
export interface Part {
  readonly text: string
  /** `words`: the sentence of the page. */
  readonly page?: { readonly title: string; readonly url: string; readonly words: string } | undefined
}

/** A part of a written answer with a citation of the API, if it rests on a page. */
export function nativelyCited({ text, page }: Part): TextBlock {
  return page ? cited(text, { ...page, excerpt: page.words }) : textBlock(text)
}

/** Text without citations. */
export function textBlock(value: string): TextBlock {
  return { type: 'text', text: value }
}

function cited(value: string, { url, title, excerpt }: FoundPage): TextBlock {
  const citation = { type: 'web_search_result_location', url, title, cited_text: excerpt } as const
  return { type: 'text', text: value, citations: [{ ...citation, encrypted_index: btoa(encodeURIComponent(url)) }] }
}

/**
 * What the scenario `recite` has written: the sentences of the question, each behind which stands `[n]`, as its words on
 * the n-th page. What stands before `[0]` is left out.
 */
export function recital(question: string, refer: (page: number) => string): string {
  const sentences = sentencesOf(question).map(({ sentence, page }) => `${sentence} ${refer(page)}`)
  return sentences.join(' ') || nothingToRecite
}

/** The same with citations of the API. Behind a number the question may say what is cited: `It rained. [1: “Rain.”]` */
export function citedRecital(question: string, pages: readonly FoundPage[]): readonly TextBlock[] {
  const blocks = sentencesOf(question).flatMap(({ sentence, page, words }) => {
    const source = pages[page - 1]
    return source ? [cited(sentence, { ...source, excerpt: words ?? source.excerpt }), textBlock(' ')] : []
  })
  return blocks.length > 0 ? blocks : [textBlock(nothingToRecite)]
}

function sentencesOf(question: string) {
  return [...question.matchAll(/([^[\]]{1,2000})\[(\d{1,2})(?:: “([^”]{1,2000})”)?\]/g)]
    .filter(([, , page]) => page !== '0')
    .map(([, sentence = '', page, words]) => ({ sentence: sentence.trim(), page: Number(page), words }))
}

const nothingToRecite = 'Sandbox answer: the question has no sentence to recite.'

/** What the model wrongly adds to its text in some scenarios; empty in the others. */
export function spoilText(
  sources: readonly { readonly title: string; readonly url: string }[],
  scenario: Scenario,
): readonly string[] {
  switch (scenario) {
    case 'invented-url':
      return [`\n\nSee also [a page that nobody found](${inventedUrls[0]}) and ${inventedUrls[1]} for more.`]
    case 'trailing-sources':
      return [`\n\nSources:\n${sources.map((source) => `- ${markdownLink(source)}\n`).join('')}`]
    default:
      return []
  }
}

/** The URLs that the scenario `invented-url` adds; no search returns them. */
export const inventedUrls = ['https://invented.example/nowhere', 'https://unfound.example/bare'] as const

/** A link to a page, if there is one. */
export function linkTo(page: { readonly title: string; readonly url: string } | undefined): string {
  return page ? markdownLink(page) : ''
}

/** A markdown link. Brackets in the title are escaped; otherwise they would end it early. */
export function markdownLink({ title, url }: { readonly title: string; readonly url: string }): string {
  return `[${title.replace(/[[\]]/g, '\\$&')}](${url})`
}
