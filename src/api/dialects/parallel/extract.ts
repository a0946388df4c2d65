import type { Page } from '@csp/page-reader/page'
import { choosePassages } from '@csp/passages/passages'
import { z } from 'zod'
import { writtenPageCode } from '../../../domain/unread-pages.ts'
import { pageDialect } from '../../dialect.ts'
import { numberField, optional } from '../../fields/field.ts'
import { urlsField } from '../../fields/urls.ts'
import { cutTo, excerptFields, questionFields, sessionOf } from './fields.ts'

const { max_chars_per_result } = excerptFields
/** Only the time that a page may take acts. */
const fetchPolicyField = optional(z.object({ timeout_seconds: optional(numberField(1, 600)) }))
const fullContentField = optional(z.union([z.boolean(), z.object({ max_chars_per_result })]))

const schema = z.object({
  ...questionFields,
  urls: urlsField(20),
  excerpts: optional(z.union([z.boolean(), z.object(excerptFields)])),
  full_content: fullContentField,
  fetch_policy: fetchPolicyField,
  advanced_settings: optional(
    z.object({
      full_content: fullContentField,
      excerpt_settings: optional(z.object({ max_chars_per_result })),
      fetch_policy: fetchPolicyField,
    }),
  ),
})

type ParallelExtractInput = z.output<typeof schema>

/** Parallel's reading of pages: their passages that bear on the question, and the whole pages if asked for. */
export const parallelExtract = pageDialect({
  schema,
  reference: {
    summary: 'Read pages',
    example: { urls: ['https://example.com/heat-pumps'], objective: 'What a heat pump does in the cold' },
  },
  parse({ urls, fetch_policy, advanced_settings: advanced }) {
    const seconds = (advanced?.fetch_policy ?? fetch_policy)?.timeout_seconds
    return {
      requests: urls.map((url) => ({ url, format: 'markdown' })),
      timeoutMs: seconds && seconds * 1000,
    }
  },
  format: (outcomes, { id, input }) => ({
    extract_id: `extract_${id}`,
    session_id: sessionOf(input, id),
    results: outcomes.flatMap(({ url, page }) => (page ? [formatPage(url, page, input)] : [])),
    errors: outcomes.flatMap(({ url, error }) =>
      error
        ? [
            {
              url,
              error_type: writtenPageCode(error.code),
              http_status_code: error.status ?? null,
              content: error.message,
            },
          ]
        : [],
    ),
  }),
})

function formatPage(url: string, page: Page, input: ParallelExtractInput): object {
  const whole = input.advanced_settings?.full_content ?? input.full_content
  const limit = typeof whole === 'object' ? whole.max_chars_per_result : undefined
  return {
    url,
    title: page.title,
    publish_date: page.publishedAt,
    excerpts: input.excerpts === false ? [] : excerptsOf(page, input),
    full_content: whole ? page.content.slice(0, limit).toWellFormed() : undefined,
  }
}

/** The passages that bear on the question; without one the beginning of the page. */
function excerptsOf({ content }: Page, input: ParallelExtractInput): readonly string[] {
  const { objective = '', search_queries = [] } = input
  const question = [objective, ...search_queries].join(' ').trim()
  const options = { maxPassages, maxLength: maxExcerpts / maxPassages }
  return cutTo(roomOf(input), question ? choosePassages(content, question, options) : [content])
}

/** The characters of one page's excerpts. */
function roomOf({ urls, excerpts, max_chars_total, advanced_settings: advanced }: ParallelExtractInput): number {
  const settings = typeof excerpts === 'object' ? excerpts : undefined
  const total = max_chars_total ?? settings?.max_chars_total ?? Number.POSITIVE_INFINITY
  const perResult = advanced?.excerpt_settings?.max_chars_per_result ?? settings?.max_chars_per_result ?? maxExcerpts
  return Math.min(perResult, Math.floor(total / urls.length))
}

const maxExcerpts = 2_000
const maxPassages = 5
