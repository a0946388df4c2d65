import { z } from 'zod'
import { replay, sourcesOf } from '../../../domain/answer.ts'
import type { Answer } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { booleanField, ignoredFields, optional } from '../../fields/field.ts'
import { BraveCitedParts, type BravePart } from './answers.ts'
import { braveRateLimit } from './error.ts'
import { formatBraveUrl } from './rows.ts'
import { readBraveSearch } from './search.ts'
import { summaryKeyField } from './summary-key.ts'

const schema = z.object({
  key: summaryKeyField,
  entity_info: optional(booleanField),
  inline_references: optional(booleanField),
})

export type BraveSummarizerInput = z.output<typeof schema>

/** Brave's summary of a web search, `/res/v1/summarizer/search`. It is generated on request, and always complete. */
export const braveSummarizer: Dialect<BraveSummarizerInput> = {
  schema,
  reference: {
    summary: 'Written answer to a web search that was asked with `summary`',
    example: { key: '{"q":"how do heat pumps work in the cold"}' },
    headers: { 'x-loc-country': 'The country of the caller, where `country` does not name one' },
  },
  parse: ({ key }, _models, headers) => ({ ...readBraveSearch(key, headers), want: 'answer' }),
  ignored: (input) => ignoredFields(input, ['entity_info']),
  format,
  headers: braveRateLimit(),
}

function format(answer: Answer, { input }: Reply<BraveSummarizerInput>): unknown {
  const parts = new BraveCitedParts()
  const all = [...[...replay(answer)].flatMap((event) => parts.add(event)), ...parts.flush()]
  const raw = all.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const context = sourcesOf(answer.searches).map(({ title, url }) => ({ title, url, meta_url: formatBraveUrl(url) }))
  return {
    type: 'summarizer',
    status: 'complete',
    title: input.key.q,
    summary: input.inline_references ? all.map(formatPart) : [{ type: 'token', data: raw }],
    enrichments: { raw, images: [], qa: [], entities: [], context },
    followups: [],
  }
}

function formatPart(part: BravePart): unknown {
  return part.type === 'text'
    ? { type: 'token', data: part.text }
    : { type: 'inline_reference', data: { type: 'inline_reference', ...part.citation } }
}
