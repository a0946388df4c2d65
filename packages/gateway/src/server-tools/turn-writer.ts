import type { BlockDelta, MessagesEvent, MessageUsage } from '@csp/messages-api/events'
import type { ContentBlock } from '@csp/messages-api/request'
import { CitedDeltas } from './cited-deltas.ts'

/** A page that a text may cite, by its number. */
export interface CitablePage {
  readonly url: string
  readonly title: string
  readonly excerpt: string
  readonly encryptedIndex: string
}

type Events = Generator<MessagesEvent, void, undefined>

/**
 * Writes the blocks of one turn, which may hold several replies of the upstream: with indices of its own, one block after
 * another. In a text behind a search, the numbers of pages become citations.
 */
export class TurnWriter {
  readonly #pages: CitablePage[] = []
  readonly #cited = new CitedDeltas()
  #index = 0
  #hasCitation = false

  /** The pages that texts may cite from now on. Returns the number of the first of them. */
  addPages(pages: readonly CitablePage[]): number {
    const first = this.#pages.length + 1
    this.#pages.push(...pages)
    return first
  }

  *start(block: ContentBlock): Events {
    this.#hasCitation = false
    yield { type: 'content_block_start', index: this.#index, content_block: block }
  }

  *delta(delta: BlockDelta): Events {
    if (delta.type !== 'text_delta' || this.#pages.length === 0) {
      yield { type: 'content_block_delta', index: this.#index, delta }
      return
    }
    yield* this.#write(this.#cited.push(delta.text, this.#pages.length))
  }

  *stop(): Events {
    yield* this.#write(this.#cited.end(this.#pages.length))
    yield { type: 'content_block_stop', index: this.#index++ }
  }

  /** A block that is whole. */
  *whole(block: ContentBlock, ...deltas: readonly BlockDelta[]): Events {
    yield* this.start(block)
    for (const delta of deltas) yield* this.delta(delta)
    yield* this.stop()
  }

  /** As the vendor does, a block ends with what it cites, and the text goes on in the next one. */
  *#write(parts: Iterable<{ readonly text: string } | { readonly number: number }>): Events {
    for (const part of parts) {
      if ('text' in part) {
        if (this.#hasCitation) {
          yield { type: 'content_block_stop', index: this.#index++ }
          yield* this.start({ type: 'text', text: '' })
        }
        yield { type: 'content_block_delta', index: this.#index, delta: { type: 'text_delta', text: part.text } }
      } else {
        const page = this.#pages[part.number - 1]
        if (!page) continue
        this.#hasCitation = true
        const citation = citationOf(page)
        yield { type: 'content_block_delta', index: this.#index, delta: { type: 'citations_delta', citation } }
      }
    }
  }
}

function citationOf({ url, title, excerpt, encryptedIndex }: CitablePage) {
  return {
    type: 'web_search_result_location',
    url,
    title,
    encrypted_index: encryptedIndex,
    cited_text: Array.from(excerpt).slice(0, 150).join(''),
  }
}

/** The usage of two replies together. */
export function addUsage(left: MessageUsage | undefined, right: MessageUsage): MessageUsage {
  if (!left) return right
  const sum = (field: 'input_tokens' | 'cache_creation_input_tokens' | 'cache_read_input_tokens') => {
    const [a, b] = [left[field], right[field]]
    return a == null && b == null ? undefined : (a ?? 0) + (b ?? 0)
  }
  return {
    ...right,
    input_tokens: sum('input_tokens'),
    cache_creation_input_tokens: sum('cache_creation_input_tokens'),
    cache_read_input_tokens: sum('cache_read_input_tokens'),
    output_tokens: left.output_tokens + right.output_tokens,
  }
}
