import { freshnessCodes } from '../../../executor/backends/brave/facts.ts'
import { parseJson } from '../../../lib/json.ts'
import type { PublishedWithin } from '../../fields/dates.ts'
import { Rejection, textField } from '../../fields/field.ts'
import { type BraveWebInput, braveWebInput } from './search.ts'

/** The key under which a summary of this search can be had: the question itself, so nothing has to be remembered. */
export function writeSummaryKey({ q, country, search_lang, safesearch, freshness, operators }: BraveWebInput): string {
  return JSON.stringify({ q, country, search_lang, safesearch, freshness: writeFreshness(freshness), operators })
}

/** Such a key, read back. It may be anybody's, so it is checked as a web search is. */
export const summaryKeyField = textField(readSummaryKey)

function readSummaryKey(text: string): BraveWebInput | Rejection {
  return (
    braveWebInput.safeParse(parseJson(text)).data ??
    new Rejection('value_error', 'Input should be a key that a web search gave')
  )
}

function writeFreshness({ freshness, publishedAfter, publishedBefore }: PublishedWithin = {}): string | undefined {
  if (publishedAfter && publishedBefore) return `${publishedAfter}to${publishedBefore}`
  return Object.keys(freshnessCodes).find((code) => freshness !== undefined && freshnessCodes[code] === freshness)
}
