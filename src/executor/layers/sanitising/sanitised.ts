import { guardedText } from '@csp/grounding/answer-guard'
import { attended } from '@csp/lib/attended'
import { CleanText, InertText, plainLine, plainText } from '@csp/lib/text'
import { isWebAddress } from '@csp/lib/url'
import { SearchError } from '../../../domain/error.ts'
import type { Citation, SearchEvent, SearchEvents, SearchRequest, SearchResult } from '../../../domain/search.ts'
import type { Executor, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'

/**
 * Validates and cleans what a backend sends: pages and models are untrusted, and what they write is data.
 *
 * - A row has a web address, spelled as browsers do. Among results another is left out; in an answer, where markers count the rows, the search
 *   fails.
 * - Titles are one line, excerpts plain text, both of bounded length; a date is a date.
 * - Written text is cleaned, also where what acts or hides is cut in two, and the offsets of citations follow. Of a
 *   grounded text this changes nothing: it was cleaned before it was judged. What is quoted beside it is guarded.
 * - A function is called by a name that the caller gave it.
 */
export function sanitised(inner: Executor): Executor {
  return layer(inner, { search: (request, context) => sanitisedSearch(inner, request, context) })
}

function sanitisedSearch(inner: Executor, request: SearchRequest, context: SearchContext): SearchEvents {
  return attended(() => {
    const text = new CleanText()
    const calls = new Map<string, InertText>()
    const clean = (event: Exclude<SearchEvent, { type: 'text-delta' }>): readonly SearchEvent[] => {
      switch (event.type) {
        case 'search-start':
          return [{ ...event, query: plainText(event.query) }]
        case 'search-results':
          return [{ type: event.type, id: event.id, results: rowsOf(event.results, request) }]
        case 'citation':
          return citationsOf(event.citation, text).map((citation) => ({ ...event, citation }))
        case 'tool-call-start':
          checkCall(event, request)
          calls.set(event.id, new InertText())
          return [...delta(text.end()), event]
        case 'tool-call-delta':
          return callDelta(event.id, calls.get(event.id)?.push(event.arguments) ?? '')
        case 'done': {
          const rests = [...calls].flatMap(([id, call]) => callDelta(id, call.end()))
          const late = event.late && { late: rowsOf(event.late, request) }
          return [...delta(text.end()), ...rests, { ...event, ...late, model: plainLine(event.model) }]
        }
        default:
          return [event]
      }
    }
    return {
      items: inner.search(request, context),
      instead(event) {
        return event.type === 'text-delta' ? delta(text.push(event.text)) : clean(event)
      },
    }
  })
}

function delta(text: string): readonly SearchEvent[] {
  return text ? [{ type: 'text-delta', text }] : []
}

function callDelta(id: string, text: string): readonly SearchEvent[] {
  return text ? [{ type: 'tool-call-delta', id, arguments: text }] : []
}

function rowsOf(results: readonly SearchResult[], { want }: SearchRequest): readonly SearchResult[] {
  const usable = results.flatMap((row) => {
    const url = plainAddress(row.url)
    return url === undefined ? [] : [{ ...row, url }]
  })
  if (usable.length < results.length && want === 'answer') {
    throw new SearchError('failed', 'The search returned a source whose address is not a web page.')
  }
  return usable.map(plainRow)
}

function plainRow(row: SearchResult): SearchResult {
  const { title, url, snippet, passages, publishedAt } = row
  return {
    ...row,
    title: plainTitle(title, url),
    snippet: snippet && cut(plainText(snippet), maxSnippetLength),
    passages: passages?.map((passage) => cut(plainText(passage), maxSnippetLength)),
    publishedAt: publishedAt && /^\d{4}-\d{2}-\d{2}$/.test(publishedAt) ? publishedAt : undefined,
  }
}

function citationsOf(citation: Citation, text: CleanText): readonly Citation[] {
  const { title, start, end, quote } = citation
  const url = plainAddress(citation.url)
  if (url === undefined) return []
  const quoted = quote !== undefined && { quote: guardedText(plainText(quote)) }
  return [
    { ...citation, url, ...quoted, title: plainTitle(title, url), start: text.place(start), end: text.place(end) },
  ]
}

/** An address as a browser spells it: nothing in it ends a link, an attribute or a line. `undefined` if it is none. */
function plainAddress(url: string): string | undefined {
  const plain = isWebAddress(url) ? new URL(url).href : ''
  return isWebAddress(plain) ? plain : undefined
}

function plainTitle(title: string, url: string): string {
  return cut(plainLine(title), maxTitleLength) || new URL(url).hostname
}

const maxTitleLength = 500
const maxSnippetLength = 20_000

/** Never between the halves of a surrogate pair. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function checkCall({ id, name }: { readonly id: string; readonly name: string }, { tools }: SearchRequest): void {
  const isKnown = tools?.some((tool) => tool.name === name) ?? false
  if (isKnown && /^[\w.:-]{1,128}$/.test(id)) return
  throw new SearchError('failed', 'The model called a function that it was not given.')
}
