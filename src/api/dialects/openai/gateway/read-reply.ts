import { isObject } from '@csp/lib/json'
import type { MessagesEvent, MessageUsage, StopReason } from '@csp/messages-api/events'
import { MessageFold } from '@csp/messages-api/fold'
import { type ContentBlock, isBlocks } from '@csp/messages-api/request'
import type { FinishReason, SearchResult } from '../../../../domain/search.ts'
import type { WrittenEvent } from '../responses-writer.ts'
import { sealed } from './sealed-blocks.ts'

/** Reads the events of a message as those that a response is written from. */
export class GatewayReply {
  readonly #fold = new MessageFold()
  #model = ''
  #text = 0
  #blockStart = 0
  #isApart = false
  #searches = 0
  /** The pages found so far, in order. */
  readonly #pages: string[] = []
  #end: { readonly reason: FinishReason; readonly usage: MessageUsage } | undefined
  #usage: MessageUsage = { output_tokens: 0 }

  read(event: MessagesEvent): readonly WrittenEvent[] {
    this.#fold.read(event)
    switch (event.type) {
      case 'message_start':
        this.#model = event.message.model
        this.#usage = event.message.usage
        return []
      case 'content_block_start':
        return this.#start(event.content_block)
      case 'content_block_delta':
        return this.#delta(event)
      case 'content_block_stop':
        return this.#stop(this.#fold.block(event.index))
      case 'message_delta':
        this.#end = { reason: reasons[event.delta.stop_reason ?? 'end_turn'] ?? 'stop', usage: event.usage }
        return []
      case 'message_stop':
        return [this.#done()]
      default:
        return []
    }
  }

  #start(block: ContentBlock): readonly WrittenEvent[] {
    if (block.type === 'tool_use') {
      return [{ type: 'tool-call-start', id: String(block['id']), name: String(block['name']) }]
    }
    if (block.type !== 'text') {
      this.#isApart = true
      return []
    }
    this.#blockStart = this.#text
    const { text } = block
    return typeof text === 'string' && text !== '' ? this.#addText(text) : []
  }

  /** All text is one message: what stood apart from each other stays so. */
  #addText(text: string): readonly WrittenEvent[] {
    const gap = this.#isApart && this.#text > 0 ? '\n\n' : ''
    this.#isApart = false
    if (gap) this.#blockStart += gap.length
    this.#text += gap.length + text.length
    return [{ type: 'text-delta', text: gap + text }]
  }

  #delta({ index, delta }: Extract<MessagesEvent, { type: 'content_block_delta' }>): readonly WrittenEvent[] {
    if (delta.type === 'text_delta') return delta.text ? this.#addText(delta.text) : []
    const block = delta.type === 'input_json_delta' ? this.#fold.block(index) : undefined
    if (delta.type !== 'input_json_delta' || block?.type !== 'tool_use') return []
    return [{ type: 'tool-call-delta', id: String(block['id']), arguments: delta.partial_json }]
  }

  #stop(block: ContentBlock | undefined): readonly WrittenEvent[] {
    switch (block?.type) {
      case 'text':
        return this.#citations(block['citations'])
      case 'thinking':
        return [{ type: 'thought', text: String(block['thinking'] ?? ''), sealed: sealed([block]) }]
      case 'redacted_thinking':
        return [{ type: 'thought', text: '', sealed: sealed([block]) }]
      case 'server_tool_use': {
        const { query } = isObject(block['input']) ? block['input'] : {}
        return [{ type: 'search-start', id: String(block['id']), query: typeof query === 'string' ? query : '' }]
      }
      case 'web_search_tool_result':
        return this.#found(block)
      default:
        return []
    }
  }

  #found(block: ContentBlock): readonly WrittenEvent[] {
    this.#searches++
    const id = String(block['tool_use_id'])
    const call = this.#fold.content.find((one) => one.type === 'server_tool_use' && one['id'] === id)
    const thought: WrittenEvent = { type: 'thought', text: '', sealed: sealed(call ? [call, block] : [block]) }
    const results = rowsIn(block['content'])
    this.#pages.push(...results.map(({ url }) => url))
    return [{ type: 'search-results', id, results }, thought]
  }

  #citations(citations: unknown): readonly WrittenEvent[] {
    const [start, end] = [this.#blockStart, this.#text]
    const pages: readonly unknown[] = Array.isArray(citations) ? citations : []
    return pages.flatMap((page): readonly WrittenEvent[] => {
      const { url, title } = isObject(page) ? page : {}
      if (typeof url !== 'string') return []
      const number = this.#pages.indexOf(url) + 1
      const name = typeof title === 'string' ? title : url
      return [{ type: 'citation', citation: { number, start, end, url, title: name } }]
    })
  }

  #done(): WrittenEvent {
    const { reason, usage } = this.#end ?? { reason: 'stop' as const, usage: this.#usage }
    const told = { ...this.#usage, ...Object.fromEntries(Object.entries(usage).filter(([, value]) => value != null)) }
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = told
    const inputTokens = (input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)
    const spent = { searches: this.#searches, inputTokens, outputTokens: output_tokens }
    return { type: 'done', reason, usage: spent, model: this.#model }
  }
}

function rowsIn(content: unknown): readonly SearchResult[] {
  if (!isBlocks(content)) return []
  return content.flatMap(({ url, title }) =>
    typeof url === 'string' ? [{ url, title: typeof title === 'string' ? title : url, source: 'gateway' }] : [],
  )
}

const reasons: Readonly<Partial<Record<StopReason, FinishReason>>> = {
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
}
