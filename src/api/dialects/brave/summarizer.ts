import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { searchDialect } from '../../dialect.ts'
import { booleanField, optional } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { type BravePart, bravePartsOf } from './answers.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveUrl } from './rows.ts'
import { readBraveSearch } from './search.ts'
import { summaryKeyField } from './summary-key.ts'

/** Brave's summary of a web search, `/res/v1/summarizer/search`. It is generated on request, and always complete. */
export const braveSummarizer = searchDialect({
  schema: z.object({
    key: summaryKeyField,
    entity_info: withoutEffect(optional(booleanField)),
    inline_references: optional(booleanField),
  }),
  reference: {
    summary: 'Written answer to a web search that was asked with `summary`',
    example: { key: '{"q":"how do heat pumps work in the cold"}' },
    headers: { 'x-loc-country': 'The country of the caller, where `country` does not name one' },
  },
  parse: ({ key }, _models, headers) => ({
    ...{ history: [], want: 'answer', effort: 'fast' },
    ...readBraveSearch(key, headers),
  }),
  format(answer, { input }) {
    const parts = bravePartsOf(answer)
    const raw = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const context = sourcesOf(answer.searches).map(({ title, url }) => ({ title, url, meta_url: formatBraveUrl(url) }))
    return {
      type: 'summarizer',
      status: 'complete',
      title: input.key.q,
      summary: input.inline_references ? parts.map(formatPart) : [{ type: 'token', data: raw }],
      enrichments: { raw, images: [], qa: [], entities: [], context },
      followups: [],
    }
  },
  headers: braveRateLimit(),
})

function formatPart(part: BravePart): unknown {
  return part.type === 'text'
    ? { type: 'token', data: part.text }
    : { type: 'inline_reference', data: { type: 'inline_reference', ...part.citation } }
}
