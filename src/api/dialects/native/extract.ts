import { z } from 'zod'
import type { Page } from '../../../domain/page.ts'
import type { PageDialect, PageOutcome, PageWish } from '../../dialect.ts'
import { ignoredFields, integerField, nameField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { urlsField } from '../../fields/urls.ts'

const schema = z.object({
  urls: urlsField(20),
  format: optional(nameField(['markdown', 'text', 'html'])),
  max_characters: optional(integerField(1, 1_000_000)),
  offset: optional(integerField(0, 100_000_000)),
  query: optional(queryField(ordinaryQuery)),
})

export type NativeExtractInput = z.output<typeof schema>

/** Our own reading of pages. */
export const nativeExtract: PageDialect<NativeExtractInput> = {
  schema,
  parse,
  ignored: (input) => ignoredFields(input, ['query']),
  format: (outcomes) => ({
    results: outcomes.flatMap(({ page }) => (page ? [formatPage(page)] : [])),
    failed: outcomes.flatMap(formatFailure),
  }),
}

function parse({ urls, format, max_characters, offset }: NativeExtractInput, headers: Headers): PageWish {
  const language = headers.get('accept-language') ?? undefined
  return { requests: urls.map((url) => ({ url, format, maxCharacters: max_characters, offset, language })) }
}

function formatPage(page: Page): unknown {
  return {
    url: page.url,
    final_url: page.finalUrl,
    title: page.title ?? null,
    author: page.author ?? null,
    published_date: page.publishedAt ?? null,
    language: page.language ?? null,
    content: page.content,
    total_characters: page.totalCharacters,
    remaining: page.remaining,
  }
}

function formatFailure({ url, error }: PageOutcome): readonly unknown[] {
  return error ? [{ url, code: error.code.replaceAll('-', '_'), message: error.message }] : []
}
