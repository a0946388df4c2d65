import type { PageErrorCode } from '@csp/page-reader/page-error'
import { z } from 'zod'
import { type PageOutcome, pageDialect } from '../../dialect.ts'
import { missingField } from '../../exchange/refusal.ts'
import { optional } from '../../fields/field.ts'
import { urlsField } from '../../fields/urls.ts'
import { contentsFields, type ExaContents, formatContents, ignoredContents, readingOf } from './fields.ts'
import { exaCost } from './search.ts'

/** Exa's reading of pages. An id is an address here. */
export const exaContents = pageDialect({
  schema: z.object({ urls: optional(urlsField(20)), ids: optional(urlsField(20)), ...contentsFields }),
  reference: {
    summary: 'Read pages',
    example: { urls: ['https://example.com/heat-pumps'], text: true },
  },
  parse(input) {
    const urls = input.urls ?? input.ids
    if (!urls) throw missingField(['urls'])
    const { format = 'markdown', isFresh } = readingOf(wanted(input)) ?? {}
    return { requests: urls.map((url) => ({ url, format })), timeoutMs: input.livecrawlTimeout, isFresh }
  },
  ignored: (input) => [...(input.summary ? ['summary'] : []), ...ignoredContents(input)],
  format: (outcomes, { id, input }) => ({
    requestId: id,
    results: outcomes.flatMap((outcome) => formatPage(outcome, wanted(input))),
    statuses: outcomes.map(formatStatus),
    costDollars: exaCost,
  }),
})

/** Without a wish for any content, the text. */
function wanted(input: ExaContents): ExaContents {
  const { text, highlights, summary, extras } = input
  return (text ?? highlights ?? summary ?? extras) ? input : { ...input, text: true }
}

function formatPage({ url, page }: PageOutcome, contents: ExaContents): readonly unknown[] {
  if (!page) return []
  const { title = null, author = null, publishedAt, image, description = '' } = page
  return [
    {
      id: url,
      url,
      title,
      publishedDate: publishedAt && `${publishedAt}T00:00:00.000Z`,
      author,
      image,
      ...formatContents({ ...contents, summary: undefined }, page, description),
    },
  ]
}

function formatStatus({ url, error }: PageOutcome): unknown {
  if (!error) return { id: url, status: 'success', source: 'crawled' }
  const [tag, httpStatusCode] = statuses[error.code]
  return { id: url, status: 'error', source: 'crawled', error: { tag, httpStatusCode, message: error.message } }
}

const statuses = {
  'invalid-url': ['UNSUPPORTED_URL', 400],
  'not-allowed': ['UNSUPPORTED_URL', 403],
  'blocked-by-robots': ['SOURCE_NOT_AVAILABLE', 403],
  'blocked-by-status': ['SOURCE_NOT_AVAILABLE', 403],
  'blocked-by-challenge': ['SOURCE_NOT_AVAILABLE', 403],
  'needs-login': ['SOURCE_NOT_AVAILABLE', 401],
  'needs-consent': ['SOURCE_NOT_AVAILABLE', 403],
  'not-found': ['CRAWL_NOT_FOUND', 404],
  'site-failed': ['CRAWL_UNKNOWN_ERROR', 502],
  unreachable: ['CRAWL_UNKNOWN_ERROR', 502],
  'bad-certificate': ['CRAWL_UNKNOWN_ERROR', 502],
  'too-large': ['CRAWL_UNKNOWN_ERROR', 413],
  'unsupported-type': ['UNSUPPORTED_URL', 415],
  'needs-scripts': ['CRAWL_UNKNOWN_ERROR', 422],
  empty: ['CRAWL_UNKNOWN_ERROR', 422],
  busy: ['CRAWL_UNKNOWN_ERROR', 429],
  timeout: ['CRAWL_TIMEOUT', 408],
  cancelled: ['CRAWL_UNKNOWN_ERROR', 499],
  failed: ['CRAWL_UNKNOWN_ERROR', 500],
} as const satisfies Record<PageErrorCode, readonly [tag: string, httpStatusCode: number]>
