import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { missingField } from '../../exchange/refusal.ts'
import { integerField, optional } from '../../fields/field.ts'
import { countryField } from '../../fields/places.ts'
import { withoutEffect } from '../../http/unread.ts'
import { listDialect } from '../../list-dialect.ts'
import { interleave } from '../shared/interleave.ts'
import { passagesOf } from '../shared/row.ts'
import { cutTo, excerptFields, questionFields, sessionOf, sourcePolicyField } from './fields.ts'

const countField = optional(integerField(1, 40))

const schema = z.object({
  ...questionFields,
  ...excerptFields,
  mode: withoutEffect(optional(z.string())),
  processor: withoutEffect(optional(z.string())),
  max_results: countField,
  source_policy: sourcePolicyField,
  excerpts: optional(z.object(excerptFields)),
  advanced_settings: optional(
    z.object({
      max_results: countField,
      source_policy: sourcePolicyField,
      location: optional(countryField),
      excerpt_settings: optional(z.object({ max_chars_per_result: excerptFields.max_chars_per_result })),
    }),
  ),
})

type ParallelSearchInput = z.output<typeof schema>

/** Parallel's search, in its first version and in the beta before it. Each of several queries is a search of its own. */
export const parallelSearch = listDialect({
  schema,
  reference: {
    summary: 'Web search, up to five queries at once',
    example: { search_queries: ['heat pumps in the cold'], advanced_settings: { max_results: 5 } },
  },
  pageSize: 10,
  page: (input) => ({ rows: settingsOf(input).limit }),
  request(input) {
    const queries = queriesOf(input)
    if (queries.length === 0) throw missingField(['search_queries'])
    const { policy, country } = settingsOf(input)
    const filters = {
      includeDomains: policy?.include_domains,
      excludeDomains: policy?.exclude_domains,
      publishedAfter: policy?.after_date,
      country,
    }
    return queries.map((query) => ({ query, filters }))
  },
  ignored(input) {
    const { objective } = input
    return objective !== undefined && !queriesOf(input).includes(objective) ? ['objective'] : []
  },
  reply(rows, { id, input, answer, count }) {
    const { perResult, total } = settingsOf(input)
    const isOne = queriesOf(input).length === 1
    const shown = isOne ? rows : interleave(answer.searches.map(({ results }) => results)).slice(0, count)
    const cut = excerptCutter(perResult, total)
    return {
      search_id: `search_${id}`,
      session_id: sessionOf(input, id),
      results: shown.map((row) => ({
        url: row.url,
        title: row.title,
        publish_date: row.publishedAt,
        excerpts: cut(row),
      })),
    }
  },
})

/** The settings, wherever the version has them. */
function settingsOf(input: ParallelSearchInput) {
  const { advanced_settings: advanced, excerpts } = input
  return {
    limit: advanced?.max_results ?? input.max_results,
    policy: advanced?.source_policy ?? input.source_policy,
    country: advanced?.location,
    perResult:
      advanced?.excerpt_settings?.max_chars_per_result ?? excerpts?.max_chars_per_result ?? input.max_chars_per_result,
    total: input.max_chars_total ?? excerpts?.max_chars_total,
  }
}

/** The queries, or the objective if there are no queries. */
function queriesOf({ search_queries: queries = [], objective }: ParallelSearchInput): readonly string[] {
  if (queries.length > 0) return queries
  return objective === undefined ? [] : [objective]
}

/** Cuts the excerpts of each page to what it may have, and to what is left of all. */
function excerptCutter(perResult = Number.POSITIVE_INFINITY, total = Number.POSITIVE_INFINITY) {
  let left = total
  return (row: SearchResult): readonly string[] => {
    const excerpts = cutTo(Math.min(perResult, left), passagesOf(row))
    left -= excerpts.join('').length
    return excerpts
  }
}
