import { parseJson } from '@csp/lib/json'
import { freshnessCodes } from '../../../executor/backends/brave/facts.ts'
import type { PublishedWithin } from '../../fields/dates.ts'
import { Rejection, textField } from '../../fields/field.ts'
import { type BraveWebInput, braveWebInput } from './search.ts'

/** The key for a summary of this search. It holds the query itself, so nothing has to be stored. */
export function writeSummaryKey({ q, country, search_lang, safesearch, freshness, operators }: BraveWebInput): string {
  return JSON.stringify({ q, country, search_lang, safesearch, freshness: writeFreshness(freshness), operators })
}

/** Reads such a key. It is untrusted, so it is checked like a web search. */
export const summaryKeyField = textField(readSummaryKey, 'the key of a web search with `summary`', 64_000)

function readSummaryKey(text: string): BraveWebInput | Rejection {
  return (
    braveWebInput.safeParse(parseJson(text)).data ??
    new Rejection('value_error', 'Input should be the key from a web search')
  )
}

function writeFreshness({ freshness, publishedAfter, publishedBefore }: PublishedWithin = {}): string | undefined {
  if (publishedAfter && publishedBefore) return `${publishedAfter}to${publishedBefore}`
  return Object.keys(freshnessCodes).find((code) => freshness !== undefined && freshnessCodes[code] === freshness)
}
