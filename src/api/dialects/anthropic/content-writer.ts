import { type Evidence, passagesOf } from '@csp/evidence/evidence'
import { guardedText } from '@csp/grounding/answer-guard'
import type { BlockDelta } from '@csp/messages-api/events'
import type { Citation, SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { PageOutcome } from '../../dialect.ts'
import { type CitedPart, CitedText } from '../shared/cited-text.ts'
import type { BlockEvent, CitationBlock, ResultBlock, SearchCitation, WrittenBlock } from './content.ts'
import { type PageCitations, SentenceBuffer } from './page-citations.ts'
import { SequentialToolCalls } from './sequential-tool-calls.ts'
import { formatFetched } from './web-fetch.ts'

export interface ContentWriterOptions {
  /** Letters, digits and `_`; the ids of the searches begin with it. */
  readonly id: string
  /** Whether tool calls after the first are left out. */
  readonly oneToolCall: boolean
  /** Pages that the text cites by its words. Absent: none are cited. */
  readonly pageCitations?: PageCitations | undefined
  /** Present once the answer is whole. */
  readonly evidence?: readonly Evidence[] | undefined
}

type Steps = Generator<BlockEvent, void, undefined>
type SearchResults = Extract<SearchEvent, { type: 'search-results' }>

/** Turns events into content blocks, one after another: searches, text with citations, tool calls. */
export class ContentWriter {
  readonly #id: string
  readonly #calls: SequentialToolCalls
  readonly #text = new CitedText()
  readonly #pageCitations: PageCitations | undefined
  readonly #sentences = new SentenceBuffer()
  readonly #evidence: readonly Evidence[]
  readonly #queries = new Map<string, string>()
  /** The citable pages, by URL. */
  readonly #rows = new Map<string, ResultBlock & { readonly snippet: string }>()
  #searches = 0
  #index = 0
  #open: WrittenBlock['type'] | undefined
  /** The citations of the open text block. */
  #isCited = false
  #hasText = false

  constructor({ id, oneToolCall, pageCitations, evidence = [] }: ContentWriterOptions) {
    this.#id = id
    this.#pageCitations = pageCitations
    this.#evidence = evidence
    this.#calls = new SequentialToolCalls(oneToolCall)
  }

  *push(event: SearchEvent): Steps {
    for (const next of this.#calls.push(event)) yield* this.#write(next)
  }

  /** Blocks of pages that were read before anything else. */
  *pushFetched(outcomes: readonly PageOutcome[], retrievedAt: Date): Steps {
    const isCited = this.#pageCitations !== undefined
    for (const [place, outcome] of outcomes.entries()) {
      const useId = `srvtoolu_${this.#id}_f${place + 1}`
      yield* this.#begin({ type: 'server_tool_use', id: useId, name: 'web_fetch', input: {}, caller })
      yield this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify({ url: outcome.url }) })
      const content = formatFetched(outcome, retrievedAt, isCited)
      yield* this.#begin({ type: 'web_fetch_tool_result', tool_use_id: useId, content, caller })
    }
    yield* this.#close()
  }

  /** Flushes the text that is held back. */
  *end(): Steps {
    for (const next of this.#calls.end()) yield* this.#write(next)
    yield* this.#flush()
    yield* this.#close()
  }

  *#flush(): Steps {
    yield* this.#writeParts(this.#text.flush())
    yield* this.#writeText(this.#sentences.flush())
  }

  *#write(event: SearchEvent): Steps {
    switch (event.type) {
      case 'search-start':
        this.#queries.set(event.id, event.query)
        break
      case 'search-results':
        yield* this.#flush()
        yield* this.#search(event)
        break
      case 'text-delta':
        yield* this.#writeParts(this.#text.push(event.text, this.#rows.size))
        break
      case 'citation':
        yield* this.#writeParts(this.#text.cite(event.citation))
        break
      case 'tool-call-start':
        yield* this.#flush()
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

  *#writeParts(parts: readonly CitedPart[]): Steps {
    for (const part of parts) {
      if (part.type === 'text') {
        const pieces = this.#pageCitations ? this.#sentences.push(part.text) : [part.text]
        for (const piece of pieces) yield* this.#writeText(piece)
      } else {
        yield* this.#writeText(this.#sentences.flush())
        yield* this.#cite(this.#formatCitation(part.citation))
      }
    }
  }

  /** A sentence that cites a page has a block of its own. */
  *#writeText(text: string): Steps {
    if (text === '') return
    const citation = this.#pageCitations?.find(text)
    const isFull = this.#hasText && (this.#isCited || citation !== undefined)
    if (this.#open !== 'text' || isFull) yield* this.#begin({ type: 'text', text: '' })
    this.#hasText = true
    yield this.#delta({ type: 'text_delta', text })
    if (citation) yield* this.#cite(citation)
  }

  *#cite(citation: CitationBlock): Steps {
    if (this.#open !== 'text') yield* this.#begin({ type: 'text', text: '' })
    this.#isCited = true
    yield this.#delta({ type: 'citations_delta', citation })
  }

  *#begin(block: WrittenBlock): Steps {
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

  #formatCitation({ url, title, number, start, quote }: Citation): SearchCitation {
    const row = this.#rows.get(url)
    const sentence = this.#evidence.findLast((one) => one.start <= start)
    const own = sentence && passagesOf(sentence).find(({ source }) => source === number)
    const words = own?.text ?? quote ?? row?.snippet ?? ''
    return {
      type: 'web_search_result_location',
      url,
      title,
      encrypted_index: row?.encrypted_content ?? '',
      // A part may be a link where the whole was none.
      cited_text: guardedText(Array.from(words).slice(0, 150).join('')),
    }
  }
}

/** By the model itself, not by a program that it wrote. */
const caller = { type: 'direct' } as const

function formatRow({ url, title, publishedAt }: SearchResult, token: string): ResultBlock {
  return { type: 'web_search_result', url, title, page_age: publishedAt ?? null, encrypted_content: token }
}
