import { cleanSnippet, cleanTitle } from '@csp/lib/snippet'
import type { BlockDelta, MessagesEvent, MessageUsage } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import type { ContentBlock } from '@csp/messages-api/request'
import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { fullDate } from '../../answer/dates.ts'
import type { ModelEvent } from '../../answer/reply-session.ts'

/** A result of the API's search tool. */
export interface MessagesHit {
  readonly url: string
  readonly title: string
  /** `April 30, 2025`, `3 days ago`, … */
  readonly pageAge?: string | null | undefined
}

/** What happens in a message, reported as soon as it is complete enough to be used. */
export type ApiEvent =
  | Extract<ModelEvent, { readonly type: 'search-start' | 'text-delta' | 'tool-call-start' | 'tool-call-delta' }>
  | { readonly type: 'search-hits'; readonly id: string; readonly hits: readonly MessagesHit[] }
  | { readonly type: 'search-failed'; readonly code: string }
  /** Follows the text that rests on the page, once for each page. `words`: what was cited of it. */
  | { readonly type: 'text-cited'; readonly url: string; readonly words: string }

/** One message of the API as it streams: reports what happens in it, and keeps it whole. */
export class MessageTurn {
  readonly #fold = new MessageFold()
  /** The id of the block that is being written. */
  #id = ''
  #type = ''
  #hasArguments = false
  stopReason: string | undefined
  model = ''
  inputTokens = 0
  outputTokens = 0

  /** The message so far, to be sent back when the API pauses. */
  get content(): readonly ContentBlock[] {
    return this.#fold.content
  }

  *read(event: MessagesEvent): Generator<ApiEvent> {
    this.#fold.read(event)
    switch (event.type) {
      case 'message_start':
        this.model = event.message.model
        this.#count(event.message.usage)
        break
      case 'content_block_start':
        yield* this.#begin(event.content_block)
        break
      case 'content_block_delta':
        yield* this.#grow(event.delta)
        break
      case 'content_block_stop':
        yield* this.#end(this.#fold.block(event.index))
        break
      case 'message_delta':
        this.stopReason = event.delta.stop_reason ?? undefined
        this.#count(event.usage)
        break
    }
  }

  *#begin(block: ContentBlock): Generator<ApiEvent> {
    this.#id = typeof block['id'] === 'string' ? block['id'] : ''
    this.#hasArguments = false
    this.#type = block.type
    if (block.type === 'tool_use') {
      const { data } = toolUse.safeParse(block)
      if (data) yield { type: 'tool-call-start', ...data }
    }
    if (block.type !== 'web_search_tool_result') return
    const { data } = searchResult.safeParse(block)
    if (!data) return
    const { tool_use_id: id, content } = data
    if (!Array.isArray(content)) yield { type: 'search-failed', code: content.error_code }
    else yield { type: 'search-hits', id, hits: content.flatMap((hit) => hit ?? []) }
  }

  *#grow(delta: BlockDelta): Generator<ApiEvent> {
    if (delta.type === 'text_delta' && this.#type === 'text' && delta.text)
      yield { type: 'text-delta', text: delta.text }
    if (delta.type !== 'input_json_delta' || this.#type !== 'tool_use' || !delta.partial_json) return
    this.#hasArguments ||= delta.partial_json.trim() !== ''
    yield { type: 'tool-call-delta', id: this.#id, arguments: delta.partial_json }
  }

  *#end(block: ContentBlock | undefined): Generator<ApiEvent> {
    if (block?.type === 'server_tool_use') {
      const { data } = searchInput.safeParse(block['input'])
      if (data) yield { type: 'search-start', id: this.#id, query: data.query }
    }
    if (block?.type === 'tool_use' && !this.#hasArguments) {
      yield { type: 'tool-call-delta', id: this.#id, arguments: JSON.stringify(block['input'] ?? {}) }
    }
    const citations: readonly unknown[] = Array.isArray(block?.['citations']) ? block['citations'] : []
    const cited = new Map<string, string>()
    for (const given of citations) {
      const { data } = citation.safeParse(given)
      if (data && !cited.has(data.url)) cited.set(data.url, data.cited_text ?? '')
    }
    for (const [url, words] of cited) yield { type: 'text-cited', url, words }
  }

  #count(usage: MessageUsage): void {
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage
    const input = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
    this.inputTokens = Math.max(this.inputTokens, input)
    this.outputTokens = Math.max(this.outputTokens, output_tokens)
  }
}

const toolUse = z.object({ id: z.string(), name: z.string() })
const searchInput = z.object({ query: z.string() })
const citation = z.object({ url: z.string(), cited_text: z.string().nullish() })

const hit = z
  .object({ url: z.string(), title: z.string().catch(''), page_age: z.string().nullish().catch(undefined) })
  .transform(({ url, title, page_age }) => ({ url, title, pageAge: page_age }))

const searchResult = z.object({
  tool_use_id: z.string(),
  content: z.union([z.array(hit.optional().catch(undefined)), z.object({ error_code: z.string() })]),
})

/** The row for a result of the API's search tool. `words`: what was cited of it, if anything. */
export function toRow({ url, title, pageAge }: MessagesHit, now: Date, words?: string): SearchResult {
  return {
    title: cleanTitle(title, url),
    url,
    snippet: words === undefined ? undefined : cleanSnippet(words),
    publishedAt: dateOf(pageAge ?? '', now),
    source: 'messages',
  }
}

/** From a date, or from an age in hours or days; an age in weeks is too vague for a day. */
function dateOf(age: string, now: Date): string | undefined {
  const [, amount, unit] = /^(\d{1,3}) (hour|day)s? ago$/i.exec(age.trim()) ?? []
  if (!amount || !unit) return fullDate(age)
  const hours = Number(amount) * (unit.toLowerCase() === 'day' ? 24 : 1)
  return new Date(now.getTime() - hours * 3_600_000).toISOString().slice(0, 10)
}
