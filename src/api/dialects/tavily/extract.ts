import type { Page } from '@csp/page-reader/page'
import { choosePassages } from '@csp/passages/passages'
import { z } from 'zod'
import { writtenPageCode } from '../../../domain/unread-pages.ts'
import { type PageOutcome, pageDialect } from '../../dialect.ts'
import { booleanField, ignoredFields, integerField, nameField, numberField, optional } from '../../fields/field.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { urlsField } from '../../fields/urls.ts'
import { faviconOf } from '../shared/sources.ts'

const schema = z.object({
  urls: urlsField(20),
  extract_depth: optional(nameField(['basic', 'advanced'])),
  format: optional(nameField(['markdown', 'text'])),
  include_images: optional(booleanField),
  include_favicon: optional(booleanField),
  include_usage: optional(booleanField),
  timeout: optional(numberField(1, 60)),
  query: optional(queryField(ordinaryQuery)),
  chunks_per_source: optional(integerField(1, 5)),
  // The key, where a client sends it so. The key check has read it.
  api_key: optional(z.unknown()),
})

type TavilyExtractInput = z.output<typeof schema>

/** Tavily's reading of pages. */
export const tavilyExtract = pageDialect({
  schema,
  reference: {
    summary: 'Read pages',
    example: { urls: ['https://example.com/heat-pumps'] },
  },
  parse: ({ urls, format = 'markdown', timeout }) => ({
    requests: urls.map((url) => ({ url, format })),
    timeoutMs: timeout && timeout * 1000,
  }),
  ignored: (input) => [
    ...(input.extract_depth === 'advanced' ? ['extract_depth'] : []),
    ...(input.query === undefined ? ignoredFields(input, ['chunks_per_source']) : []),
  ],
  format: (outcomes, { id, input, elapsedMs }) => ({
    results: outcomes.flatMap((outcome) => formatPage(outcome, input)),
    failed_results: outcomes.flatMap(({ url, error }) =>
      error ? [{ url, error: error.message, code: writtenPageCode(error.code) }] : [],
    ),
    response_time: elapsedMs() / 1000,
    // A subscription is not billed by the request.
    usage: input.include_usage ? { credits: 0 } : undefined,
    request_id: id,
  }),
})

function formatPage({ url, page }: PageOutcome, input: TavilyExtractInput): readonly unknown[] {
  if (!page) return []
  return [
    {
      url,
      title: page.title ?? null,
      raw_content: contentOf(page, input),
      images: input.include_images && page.image ? [page.image] : [],
      favicon: input.include_favicon ? faviconOf(url) : undefined,
    },
  ]
}

/** The page, or as the vendor has it, its passages that bear on the query. */
function contentOf({ content }: Page, { query, chunks_per_source: maxPassages = 3 }: TavilyExtractInput): string {
  if (query === undefined) return content
  return choosePassages(content, query, { maxPassages, maxLength: maxChunk }).join(' [...] ')
}

const maxChunk = 500
