import { z } from 'zod'
import type { SearchResult } from '../../../domain/search.ts'
import { parseJson } from '../../../lib/json.ts'
import { fullDate } from '../../answer/dates.ts'
import type { ModelEvent } from '../../answer/reply-session.ts'
import { cleanSnippet, cleanTitle } from '../../answer/row-text.ts'
import type { ApiBlock, StreamEvent } from './stream.ts'

/** A result of the API's search tool. */
export interface Hit {
  readonly url: string
  readonly title: string
  /** `April 30, 2025`, `3 days ago`, … */
  readonly pageAge?: string | null | undefined
}

/** What happens in a message, reported as soon as it is complete enough to be used. */
export type ApiEvent =
  | Extract<ModelEvent, { readonly type: 'search-start' | 'text-delta' | 'tool-call-start' | 'tool-call-delta' }>
  | { readonly type: 'search-hits'; readonly id: string; readonly hits: readonly Hit[] }
  | { readonly type: 'search-failed'; readonly code: string }
  /** Follows the text that rests on the page, once for each page. `words`: what was cited of it. */
  | { readonly type: 'text-cited'; readonly url: string; readonly words: string }

/** One message of the API as it streams: reports what happens in it, and keeps it whole. */
export class MessageTurn {
  readonly #blocks: Block[] = []
  stopReason: string | undefined
  model = ''
  inputTokens = 0
  outputTokens = 0

  /** The message so far, to be sent back when the API pauses. */
  get content(): readonly ApiBlock[] {
    return this.#blocks.filter(Boolean).map((block) => block.whole)
  }

  *read(event: StreamEvent): Generator<ApiEvent> {
    switch (event.type) {
      case 'message_start':
        this.model = event.message.model
        this.#count(event.message.usage)
        break
      case 'content_block_start':
        this.#blocks[event.index] = new Block(event.content_block)
        yield* this.#begin(event.content_block)
        break
      case 'content_block_delta': {
        const block = this.#blocks[event.index]
        block?.add(event.delta)
        if (block?.type === 'text' && event.delta.text) yield { type: 'text-delta', text: event.delta.text }
        if (block?.type === 'tool_use' && event.delta.partial_json) {
          yield { type: 'tool-call-delta', id: block.id, arguments: event.delta.partial_json }
        }
        break
      }
      case 'content_block_stop':
        yield* this.#end(this.#blocks[event.index])
        break
      case 'message_delta':
        this.stopReason = event.delta.stop_reason ?? undefined
        this.#count(event.usage)
        break
      case 'message_stop':
        break
    }
  }

  *#begin(block: ApiBlock): Generator<ApiEvent> {
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

  *#end(block: Block | undefined): Generator<ApiEvent> {
    if (block?.type === 'server_tool_use') {
      const { data } = searchInput.safeParse(block.input)
      if (data) yield { type: 'search-start', id: block.id, query: data.query }
    }
    if (block?.type === 'tool_use' && block.json.trim() === '') {
      yield { type: 'tool-call-delta', id: block.id, arguments: JSON.stringify(block.input ?? {}) }
    }
    const cited = new Map<string, string>()
    for (const given of block?.citations ?? []) {
      const { data } = citation.safeParse(given)
      if (data && !cited.has(data.url)) cited.set(data.url, data.cited_text ?? '')
    }
    for (const [url, words] of cited) yield { type: 'text-cited', url, words }
  }

  #count(usage: Extract<StreamEvent, { type: 'message_delta' }>['usage']): void {
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = usage ?? {}
    const input = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
    this.inputTokens = Math.max(this.inputTokens, input)
    this.outputTokens = Math.max(this.outputTokens, output_tokens ?? 0)
  }
}

type Delta = Extract<StreamEvent, { type: 'content_block_delta' }>['delta']

/** A block that is still growing. */
class Block {
  readonly #start: ApiBlock
  readonly citations: unknown[] = []
  #text: string
  #thinking: string
  #signature: string | undefined
  json = ''

  constructor(start: ApiBlock) {
    this.#start = start
    this.#text = stringOr(start['text'])
    this.#thinking = stringOr(start['thinking'])
  }

  get type(): string {
    return this.#start.type
  }

  get id(): string {
    return stringOr(this.#start['id'])
  }

  get input(): unknown {
    return this.json.trim() === '' ? this.#start['input'] : (parseJson(this.json) ?? {})
  }

  add({ text, partial_json, citation: cited, thinking, signature }: Delta): void {
    this.#text += text ?? ''
    this.#thinking += thinking ?? ''
    this.json += partial_json ?? ''
    this.#signature = signature ?? this.#signature
    if (cited !== undefined) this.citations.push(cited)
  }

  get whole(): ApiBlock {
    switch (this.type) {
      case 'text':
        return { ...this.#start, text: this.#text, ...(this.citations.length > 0 && { citations: this.citations }) }
      case 'thinking':
        return { ...this.#start, thinking: this.#thinking, ...(this.#signature && { signature: this.#signature }) }
      case 'tool_use':
      case 'server_tool_use':
        return { ...this.#start, input: this.input }
      default:
        return this.#start
    }
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

function stringOr(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The row for a result of the API's search tool. `words`: what was cited of it, if anything. */
export function toRow({ url, title, pageAge }: Hit, now: Date, words?: string): SearchResult {
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
