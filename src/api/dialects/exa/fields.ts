import type { Page } from '@csp/page-reader/page'
import { choosePassages } from '@csp/passages/passages'
import { z } from 'zod'
import type { FoundPagesWish } from '../../dialect.ts'
import { booleanField, integerField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'

const lengthField = optional(integerField(1, 1_000_000))

/** A kind of content: requested by `true` or by its settings. */
function contentField<Shape extends z.ZodRawShape>(settings: Shape) {
  return optional(z.union([z.boolean(), z.object({ maxCharacters: lengthField, ...settings })]))
}

/** What Exa's clients ask of pages, in a search's `contents` or for pages of their own. */
export const contentsFields = {
  text: contentField({ includeHtmlTags: optional(booleanField) }),
  highlights: contentField({
    query: optional(queryField(ordinaryQuery)),
    highlightsPerUrl: optional(integerField(1, 100)),
  }),
  summary: contentField({}),
  extras: optional(z.object({ links: optional(integerField(0, 1000)) })),
  livecrawl: optional(z.enum(['never', 'fallback', 'always', 'auto', 'preferred'])),
  livecrawlTimeout: optional(integerField(1, 600_000)),
  maxAgeHours: optional(z.number()),
}

const contentsSchema = z.object(contentsFields)
export type ExaContents = z.output<typeof contentsSchema>

/** How the pages are read; `undefined` if no content of theirs is wanted. */
export function readingOf({
  text,
  highlights,
  extras,
  livecrawl,
  maxAgeHours,
}: ExaContents): Pick<FoundPagesWish, 'format' | 'isFresh'> | undefined {
  if (!text && !highlights && !extras?.links) return undefined
  return {
    format: typeof text === 'object' && text.includeHtmlTags ? 'html' : 'markdown',
    isFresh: livecrawl === 'always' || livecrawl === 'preferred' || maxAgeHours === 0,
  }
}

/** The fields that are set and have no effect. */
export function ignoredContents({ livecrawl, maxAgeHours }: ExaContents): readonly string[] {
  return [
    ...(livecrawl === 'never' ? ['livecrawl'] : []),
    // Pages are kept for an hour, which is fresh enough for any other age.
    ...(maxAgeHours !== undefined && maxAgeHours < 0 ? ['maxAgeHours'] : []),
  ]
}

/** The contents of one page; what is not known of it comes from its excerpt. `query` is what was searched for. */
export function formatContents(contents: ExaContents, page: Page | undefined, snippet: string, query = ''): object {
  const { text, highlights, summary, extras } = contents
  const passages = highlights && highlightsOf(highlights, page, snippet, query)
  return {
    ...(text && { text: cut(page?.content ?? snippet, text) }),
    ...(passages && { highlights: passages, highlightScores: passages.map(() => 1) }),
    ...(summary && { summary: snippet }),
    ...(extras?.links && { extras: { links: page?.links.slice(0, extras.links) ?? [] } }),
  }
}

/** The passages of a page that bear on the query, together within the length; those of a page in HTML are its excerpt. */
function highlightsOf(
  highlights: NonNullable<ExaContents['highlights']>,
  page: Page | undefined,
  snippet: string,
  searched: string,
): readonly string[] {
  const { query = searched, maxCharacters, highlightsPerUrl } = typeof highlights === 'object' ? highlights : {}
  const maxLength = maxCharacters && Math.min(maxCharacters, maxPassage)
  const chosen =
    page && page.format !== 'html'
      ? choosePassages(page.content, query, { maxPassages: highlightsPerUrl ?? defaultPassages, maxLength })
      : []
  if (chosen.length === 0) return [cut(snippet, highlights)].filter(Boolean)
  let left = maxCharacters ?? Infinity
  return chosen.filter((passage) => {
    const fits = passage.length <= left
    if (fits) left -= passage.length
    return fits
  })
}

const defaultPassages = 3
const maxPassage = 500

/** Counts code points, so that no emoji is cut in half. */
function cut(text: string, content: ExaContents['text'] | ExaContents['highlights']): string {
  const maximum = typeof content === 'object' ? (content.maxCharacters ?? Infinity) : Infinity
  return text.length <= maximum
    ? text
    : Array.from(text.slice(0, 2 * maximum))
        .slice(0, maximum)
        .join('')
}
