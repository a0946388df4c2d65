import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, Effort, SearchRequest, SearchResult } from '../../../domain/search.ts'
import { resultsRequest } from '../../../domain/search.ts'
import type { Dialect, Reply } from '../../dialect.ts'
import { ignoredFields } from '../../fields/ignored-fields.ts'
import { faviconOf } from '../shared/favicon.ts'
import { withoutMarkers } from '../shared/without-markers.ts'
import { readTavilyFilters, type TavilyInput, tavilyIgnored, tavilyInput } from './input.ts'

/** Tavily's search, with a written answer when one is asked for. */
export const tavilySearch: Dialect<TavilyInput> = {
  schema: tavilyInput,
  parse,
  ignored: (input) => ignoredFields(input, tavilyIgnored),
  format,
}

const defaultResults = 5

function parse(input: TavilyInput): SearchRequest {
  const request = resultsRequest({
    query: input.query,
    // The vendor allows none at all, for those who want the answer only.
    limit: input.max_results || undefined,
    filters: readTavilyFilters(input),
  })
  const effort = answerEffort(input)
  return effort ? { ...request, want: 'answer', effort } : request
}

function format(answer: Answer, reply: Reply<TavilyInput>): unknown {
  const { input } = reply
  const rows = sourcesOf(answer.searches).slice(0, input.max_results ?? defaultResults)
  return {
    query: input.query,
    follow_up_questions: null,
    // The vendor's answers have no marks, and with few results ours would point past their end.
    answer: answerEffort(input) ? withoutMarkers(answer) : null,
    images: [],
    results: rows.map((row, index) => formatRow(row, index, input)),
    response_time: reply.elapsedMs() / 1000,
    // A subscription is not billed by the request.
    usage: input.include_usage ? { credits: 0 } : undefined,
    request_id: reply.id,
  }
}

function formatRow({ title, url, snippet, publishedAt }: SearchResult, index: number, input: TavilyInput): unknown {
  const site = input.include_favicon ? URL.parse(url) : null
  return {
    url,
    title,
    content: snippet ?? '',
    // How near a page is to the query is not known, only their order: the first has 1, each next a hundredth less.
    score: (100 - index) / 100,
    raw_content: null,
    published_date: publishedAt && new Date(publishedAt).toUTCString(),
    favicon: site ? faviconOf(site) : undefined,
  }
}

function answerEffort({ include_answer }: TavilyInput): Effort | undefined {
  if (!include_answer) return undefined
  return include_answer === 'advanced' ? 'standard' : 'fast'
}
