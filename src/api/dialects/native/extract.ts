import type { Page } from '@csp/page-reader/page'
import { choosePassages } from '@csp/passages/passages'
import { z } from 'zod'
import { writtenPageCode } from '../../../domain/unread-pages.ts'
import { type PageOutcome, pageDialect } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { given, integerField, nameField, optional } from '../../fields/field.ts'
import { lenient } from '../../fields/lenient.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { urlsField } from '../../fields/urls.ts'

const schema = lenient(
  z.object({
    urls: urlsField(20),
    format: optional(nameField(['markdown', 'text', 'html'])),
    max_characters: optional(integerField(1, 1_000_000)),
    offset: optional(integerField(0, 100_000_000)),
    query: given(queryField(ordinaryQuery)),
  }),
  // An address that says nothing fails by itself.
  ['query', 'urls'],
)

type NativeExtractInput = z.output<typeof schema>

/** Our own reading of pages. */
export const nativeExtract = pageDialect({
  schema,
  reference: {
    summary: 'Read up to 20 pages, or the passages of them that bear on a `query`',
    example: { urls: ['https://example.com/heat-pumps'], max_characters: 4000 },
  },
  parse(input) {
    const { urls, format, offset, query } = input
    if (query !== undefined && format === 'html') {
      throw refused(['format'], 'With a query, ask for markdown or text')
    }
    // The passages are chosen from the whole page.
    const maxCharacters = query === undefined ? input.max_characters : undefined
    return { requests: urls.map((url) => ({ url, format, maxCharacters, offset })) }
  },
  format: (outcomes, { input }) => ({
    results: outcomes.flatMap(({ page }) => (page ? [formatPage(page, input)] : [])),
    failed: outcomes.flatMap(formatFailure),
  }),
})

function formatPage(page: Page, input: NativeExtractInput): unknown {
  const content = contentOf(page, input)
  return {
    url: page.url,
    final_url: page.finalUrl,
    title: page.title ?? null,
    author: page.author ?? null,
    published_date: page.publishedAt ?? null,
    published_by: page.publishedBy ?? null,
    language: page.language ?? null,
    kind: page.kind ?? null,
    paywalled: page.isPaywalled ?? false,
    content,
    total_characters: page.totalCharacters,
    remaining: input.query === undefined ? page.remaining : page.totalCharacters - content.length,
  }
}

/** The page, or its passages that bear on the query. */
function contentOf({ content }: Page, { query, max_characters = defaultPassages }: NativeExtractInput): string {
  if (query === undefined) return content
  let text = ''
  for (const passage of choosePassages(content, query, { maxPassages: 20, maxLength: 600 })) {
    const longer = text ? `${text}\n\n${passage}` : passage
    if (longer.length <= max_characters) text = longer
  }
  return text
}

/** In characters. */
const defaultPassages = 4_000

function formatFailure({ url, error }: PageOutcome): readonly unknown[] {
  return error ? [{ url, code: writtenPageCode(error.code), message: error.message }] : []
}
