import type { Page, PageFormat } from '@csp/page-reader/page'
import { replay } from '../../domain/answer.ts'
import type { Answer, SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'

const results: readonly SearchResult[] = [
  {
    title: 'How heat pumps work in the cold',
    url: 'https://example.com/heat-pumps',
    snippet: 'A heat pump still draws heat from air of −20 °C, at a lower output.',
    publishedAt: '2026-01-14',
    source: 'claude',
  },
  {
    title: 'Heat pumps: a field trial',
    url: 'https://example.org/field-trial',
    snippet: 'Over two winters the pumps delivered 2.7 times the energy that they took.',
    publishedAt: '2025-11-03',
    source: 'claude',
  },
]

const text = 'A heat pump works in the cold as well, at a lower output. [1]'

/** The events of a search for these requests, as every reference shows them. */
export async function* exampleEvents(requests: readonly SearchRequest[]): AsyncGenerator<SearchEvent, void, undefined> {
  yield* replay(exampleAnswer(requests))
}

function exampleAnswer(requests: readonly SearchRequest[]): Answer {
  const isWritten = requests.some(({ want }) => want !== 'results')
  const [first] = results
  const citation = first && { number: 1, url: first.url, title: first.title, start: text.length - 3, end: text.length }
  return {
    text: isWritten ? text : '',
    searches: requests.map(({ query }, at) => ({ id: `search-${at + 1}`, query, results })),
    citations: isWritten && citation ? [citation] : [],
    toolCalls: [],
    reason: 'stop',
    usage: { searches: requests.length, inputTokens: isWritten ? 1_840 : 0, outputTokens: isWritten ? 96 : 0 },
    model: isWritten ? 'claude-sonnet' : '',
    backend: 'claude',
  }
}

/** A page that was read. */
export function examplePage(url: string, format: PageFormat = 'markdown'): Page {
  const content = 'A heat pump still draws heat from air of −20 °C, at a lower output.'
  return {
    url,
    finalUrl: url,
    status: 200,
    contentType: 'text/html',
    format,
    content: format === 'html' ? `<p>${content}</p>` : content,
    totalCharacters: content.length,
    offset: 0,
    remaining: 0,
    title: 'How heat pumps work in the cold',
    description: 'What a heat pump does at −20 °C',
    publishedAt: '2026-01-14',
    language: 'en',
    links: ['https://example.org/field-trial'],
  }
}
