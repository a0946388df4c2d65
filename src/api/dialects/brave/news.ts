import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { ignoredFields, integerField, optional } from '../../fields/field.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveNews } from './rows.ts'
import {
  braveGogglesField,
  bravePageFields,
  bravePassagesFields,
  braveSearchFields,
  defaultCount,
  formatBraveQuery,
  readBraveSearch,
} from './search.ts'

const schema = z.object({
  ...braveSearchFields,
  ...bravePageFields,
  count: optional(integerField(1, 50)),
  goggles: optional(braveGogglesField),
})

export type BraveNewsInput = z.output<typeof schema>

/** Brave's news search, `/res/v1/news/search`, by GET or POST. */
export const braveNews: Dialect<BraveNewsInput> = {
  schema,
  reference: {
    summary: 'News search',
    example: { q: 'heat pumps', freshness: 'pw' },
    headers: { 'x-loc-country': 'The country of the caller, where `country` does not name one' },
  },
  parse: (input, _models, headers) => readBraveSearch(input, headers, 'news'),
  ignored: (input) => ignoredFields(input, ignorable),
  passagesFields: bravePassagesFields,
  format,
  headers: braveRateLimit(),
}

const ignorable = ['ui_lang', 'spellcheck', 'goggles', 'include_fetch_metadata'] as const

function format(answer: Answer, { input }: Reply<BraveNewsInput>): unknown {
  const rows = sourcesOf(answer.searches).slice(0, input.count ?? defaultCount)
  return {
    type: 'news',
    query: formatBraveQuery(input, rows.length),
    results: rows.map((row) => formatBraveNews(row, input)),
  }
}
