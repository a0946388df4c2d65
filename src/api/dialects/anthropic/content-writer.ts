import type { Citation, SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { PageOutcome } from '../../dialect.ts'
import { type CitedPart, CitedText } from '../shared/cited-text.ts'
import type { BlockDelta, BlockEvent, CitationBlock, ContentBlock, ResultBlock } from './content.ts'
import { SequentialToolCalls } from './sequential-tool-calls.ts'
import { formatFetched } from './web-fetch.ts'

export interface ContentWriterOptions {
  /** Letters, digits and `_`; the ids of the searches begin with it. */
  readonly id: string
  /** Whether tool calls after the first are left out. */
  readonly oneToolCall: boolean
}

type Steps = Generator<BlockEvent, void, undefined>
type SearchResults = Extract<SearchEvent, { type: 'search-results' }>

/** Turns events into content blocks, one after another: searches, text with citations, tool calls. */
export class ContentWriter {
  readonly #id: string
  readonly #calls: SequentialToolCalls
  readonly #text = new CitedText()
  readonly #queries = new Map<string, string>()
  /** The citable pages, by URL. */
  readonly #rows = new Map<string, ResultBlock & { readonly snippet: string }>()
  #searches = 0
  #index = 0
  #open: ContentBlock['type'] | undefined
  /** The citations of the open text block. */
  #isCited = false
  #hasText = false

  constructor({ id, oneToolCall }: ContentWriterOptions) {
    this.#id = id
    this.#calls = new SequentialToolCalls(oneToolCall)
  }

  *push(event: SearchEvent): Steps {
    for (const next of this.#calls.push(event)) yield* this.#write(next)
  }

  /** Blocks of pages that were read before anything else. */
  *pushFetched(outcomes: readonly PageOutcome[], retrievedAt: Date): Steps {
    for (const [place, outcome] of outcomes.entries()) {
      const useId = `srvtoolu_${this.#id}_f${place + 1}`
      yield* this.#begin({ type: 'server_tool_use', id: useId, name: 'web_fetch', input: {}, caller })
      yield this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify({ url: outcome.url }) })
      const content = formatFetched(outcome, retrievedAt)
      yield* this.#begin({ type: 'web_fetch_tool_result', tool_use_id: useId, content, caller })
    }
    yield* this.#close()
  }

  /** Flushes the text that is held back. */
  *end(): Steps {
    for (const next of this.#calls.end()) yield* this.#write(next)
    yield* this.#tell(this.#text.flush())
    yield* this.#close()
  }

  *#write(event: SearchEvent): Steps {
    switch (event.type) {
      case 'search-start':
        this.#queries.set(event.id, event.query)
        break
      case 'search-results':
        yield* this.#tell(this.#text.flush())
        yield* this.#search(event)
        break
      case 'text-delta':
        yield* this.#tell(this.#text.push(event.text, this.#rows.size))
        break
      case 'citation':
        yield* this.#tell(this.#text.cite(event.citation))
        break
      case 'tool-call-start':
        yield* this.#tell(this.#text.flush())
        yield* this.#begin({ type: 'tool_use', id: event.id, name: event.name, input: {}, caller })
        break
      case 'tool-call-delta':
        yield this.#delta({ type: 'input_json_delta', partial_json: event.arguments })
        break
    }
  }

  *#search({ id, results }: SearchResults): Steps {
    const useId = `srvtoolu_${this.#id}_${++this.#searches}`
    const query = this.#queries.get(id) ?? ''
    yield* this.#begin({ type: 'server_tool_use', id: useId, name: 'web_search', input: {}, caller })
    yield this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify({ query }) })
    const content = results.map((result, place) => formatRow(result, `${useId}_${place + 1}`))
    for (const [place, row] of content.entries()) {
      if (!this.#rows.has(row.url)) this.#rows.set(row.url, { ...row, snippet: results[place]?.snippet ?? '' })
    }
    yield* this.#begin({ type: 'web_search_tool_result', tool_use_id: useId, content, caller })
  }

  *#tell(parts: readonly CitedPart[]): Steps {
    for (const part of parts) {
      const isFull = part.type === 'text' && this.#isCited && this.#hasText
      if (this.#open !== 'text' || isFull) yield* this.#begin({ type: 'text', text: '' })
      if (part.type === 'text') {
        this.#hasText = true
        yield this.#delta({ type: 'text_delta', text: part.text })
      } else {
        this.#isCited = true
        yield this.#delta({ type: 'citations_delta', citation: this.#formatCitation(part.citation) })
      }
    }
  }

  *#begin(block: ContentBlock): Steps {
    yield* this.#close()
    this.#open = block.type
    this.#isCited = false
    this.#hasText = false
    yield { type: 'content_block_start', index: this.#index, content_block: block }
  }

  #delta(delta: BlockDelta): BlockEvent {
    return { type: 'content_block_delta', index: this.#index, delta }
  }

  *#close(): Steps {
    if (this.#open === undefined) return
    this.#open = undefined
    yield { type: 'content_block_stop', index: this.#index++ }
  }

  #formatCitation({ url, title }: Citation): CitationBlock {
    const row = this.#rows.get(url)
    return {
      type: 'web_search_result_location',
      url,
      title,
      encrypted_index: row?.encrypted_content ?? '',
      cited_text: Array.from(row?.snippet ?? '')
        .slice(0, 150)
        .join(''),
    }
  }
}

/** By the model itself, not by a program that it wrote. */
const caller = { type: 'direct' } as const

function formatRow({ url, title, publishedAt }: SearchResult, token: string): ResultBlock {
  return { type: 'web_search_result', url, title, page_age: publishedAt ?? null, encrypted_content: token }
}
