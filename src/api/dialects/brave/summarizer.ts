import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { sourcesOf } from '../../../domain/answer.ts'
import { freshnessCodes } from '../../../executor/backends/brave/facts.ts'
import { searchDialect } from '../../dialect.ts'
import type { PublishedWithin } from '../../fields/dates.ts'
import { booleanField, optional, Rejection, textField } from '../../fields/field.ts'
import { withoutEffect } from '../../http/unread.ts'
import { type BravePart, bravePartsOf } from './answers.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveUrl } from './rows.ts'
import { type BraveWebInput, braveLocationHeaders, braveWebInput, readBraveSearch } from './search.ts'

/** Brave's summary of a web search, `/res/v1/summarizer/search`. It is generated on request, and always complete. */
export const braveSummarizer = searchDialect({
  schema: z.object({
    key: textField(readSummaryKey, 'the key of a web search with `summary`', 64_000),
    entity_info: withoutEffect(optional(booleanField)),
    inline_references: optional(booleanField),
  }),
  reference: {
    summary: 'Written answer to a web search that was asked with `summary`',
    example: { key: '{"q":"how do heat pumps work in the cold"}' },
    headers: braveLocationHeaders,
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

/** The key for a summary of this search. It holds the query itself, so nothing has to be stored. */
export function writeSummaryKey({ q, country, search_lang, safesearch, freshness, operators }: BraveWebInput): string {
  return JSON.stringify({ q, country, search_lang, safesearch, freshness: writeFreshness(freshness), operators })
}

function writeFreshness({ freshness, publishedAfter, publishedBefore }: PublishedWithin = {}): string | undefined {
  if (publishedAfter && publishedBefore) return `${publishedAfter}to${publishedBefore}`
  return Object.keys(freshnessCodes).find((code) => freshness !== undefined && freshnessCodes[code] === freshness)
}

/** Reads such a key. It is untrusted, so it is checked like a web search. */
function readSummaryKey(text: string): BraveWebInput | Rejection {
  return (
    braveWebInput.safeParse(parseJson(text)).data ??
    new Rejection('value_error', 'Input should be the key from a web search')
  )
}
