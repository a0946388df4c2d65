import { z } from 'zod'
import type { Page } from '../../../domain/page.ts'
import type { FoundPagesWish } from '../../dialect.ts'
import { booleanField, integerField, optional } from '../../fields/field.ts'

const unused = optional(z.unknown())
const lengthField = optional(integerField(1, 1_000_000))

/** A kind of content: requested by `true` or by its settings. */
function contentField<Shape extends z.ZodRawShape>(settings: Shape) {
  return optional(z.union([z.boolean(), z.object({ maxCharacters: lengthField, ...settings })]))
}

/** What Exa's clients ask of pages, in a search's `contents` or for pages of their own. */
export const contentsFields = {
  text: contentField({
    includeHtmlTags: optional(booleanField),
    verbosity: unused,
    includeSections: unused,
    excludeSections: unused,
  }),
  highlights: contentField({}),
  summary: contentField({}),
  extras: optional(z.object({ links: optional(integerField(0, 1000)), imageLinks: unused })),
  livecrawl: optional(z.enum(['never', 'fallback', 'always', 'auto', 'preferred'])),
  livecrawlTimeout: optional(integerField(1, 600_000)),
  maxAgeHours: optional(z.number()),
  subpages: unused,
  subpageTarget: unused,
  context: unused,
  snapshotAsOf: unused,
}

const contentsSchema = z.object(contentsFields)
export type ExaContents = z.output<typeof contentsSchema>

/** How the pages are read; `undefined` where no content of theirs is wanted. */
export function readingOf({
  text,
  extras,
  livecrawl,
  maxAgeHours,
}: ExaContents): Pick<FoundPagesWish, 'format' | 'isFresh'> | undefined {
  if (!text && !extras?.links) return undefined
  return {
    format: typeof text === 'object' && text.includeHtmlTags ? 'html' : 'markdown',
    isFresh: livecrawl === 'always' || livecrawl === 'preferred' || maxAgeHours === 0,
  }
}

/** The fields that are set and have no effect. */
export function ignoredContents(contents: ExaContents): readonly string[] {
  const { text, extras, livecrawl, maxAgeHours } = contents
  const settings = typeof text === 'object' ? text : {}
  const names = ['subpages', 'subpageTarget', 'context', 'snapshotAsOf'] as const
  return [
    ...Object.entries({ ...settings }).flatMap(([name, value]) =>
      value !== undefined && !readSettings.has(name) ? [`text.${name}`] : [],
    ),
    ...(extras?.imageLinks ? ['extras.imageLinks'] : []),
    ...(livecrawl === 'never' ? ['livecrawl'] : []),
    // Pages are kept for an hour, which is fresh enough for any other age.
    ...(maxAgeHours !== undefined && maxAgeHours < 0 ? ['maxAgeHours'] : []),
    ...names.filter((name) => contents[name]),
  ]
}

const readSettings = new Set(['maxCharacters', 'includeHtmlTags'])

/** The contents of one page; what is not known of it comes from its excerpt. */
export function formatContents(
  { text, highlights, summary, extras }: ExaContents,
  page: Page | undefined,
  snippet: string,
): object {
  const excerpts = [cut(snippet, highlights)].filter(Boolean)
  return {
    ...(text && { text: cut(page?.content ?? snippet, text) }),
    ...(highlights && { highlights: excerpts, highlightScores: excerpts.map(() => 1) }),
    ...(summary && { summary: snippet }),
    ...(extras?.links && { extras: { links: page?.links.slice(0, extras.links) ?? [] } }),
  }
}

/** Counts code points, so that no emoji is cut in half. */
function cut(text: string, content: ExaContents['highlights']): string {
  const maximum = typeof content === 'object' ? (content.maxCharacters ?? Infinity) : Infinity
  return text.length <= maximum
    ? text
    : Array.from(text.slice(0, 2 * maximum))
        .slice(0, maximum)
        .join('')
}
