import { GroundedText } from '@csp/grounding/grounded-text'
import { plainSnippet } from '@csp/lib/snippet'
import { cutAtWord } from '@csp/lib/text'
import type { SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'
import { nothingFound } from './events.ts'
import { endAtStop } from './stop-sequences.ts'

type End = Pick<Extract<SearchEvent, { type: 'done' }>, 'usage' | 'model' | 'isDegraded'>

/** An answer without a model: excerpts of pages with their markers. Its first line says what it is. */
export function excerptAnswer(
  sources: readonly SearchResult[],
  { stop = [] }: Pick<SearchRequest, 'stop'>,
  end: End,
  firstLine = introduction,
): AsyncIterable<SearchEvent> {
  const events = excerptEvents(sources, firstLine, end)
  return stop.length > 0 ? endAtStop(events, stop, () => {}) : events
}

/** Whether a request cannot be answered with excerpts. */
export function needsModel({ tools = [], toolChoice, schema, continuation = [] }: SearchRequest): boolean {
  return schema !== undefined || continuation.length > 0 || (tools.length > 0 && toolChoice !== 'none')
}

async function* excerptEvents(sources: readonly SearchResult[], firstLine: string, end: End) {
  const text = new GroundedText()
  text.write(sources.length > 0 ? firstLine : nothingFound)
  for (const [index, source] of sources.slice(0, maxExcerpts).entries()) {
    text.write(`\n- ${excerptOf(source)}`)
    text.separate()
    text.cite(index + 1, source)
  }
  yield* text.finish()
  yield { type: 'done', reason: 'stop', ...end } as const
}

/** One line. Brackets go: `[n]` in a page's own text would look like one of our markers. */
function excerptOf({ title, url, snippet }: SearchResult): string {
  const parts = [plainSnippet(title) ?? new URL(url).hostname, plainSnippet(snippet ?? '')]
  const line = parts.filter(Boolean).join(': ').replace(/[[\]]/g, '')
  return line.length <= maxExcerptLength ? line : `${cutAtWord(line, maxExcerptLength)}…`
}

const introduction = 'No model could write an answer just now. These are excerpts of the pages that the search found:\n'
const maxExcerpts = 8
const maxExcerptLength = 280
