import { parseObject } from '@csp/lib/json'
import type { BlockDelta, Message, MessagesEvent } from './events.ts'
import type { ContentBlock } from './request.ts'
import { UpstreamError } from './upstream-error.ts'

/** Folds the events of a stream to the whole message. Throws what the stream throws, and when it has no end. */
export async function foldMessage(events: AsyncIterable<MessagesEvent>): Promise<Message> {
  const fold = new MessageFold()
  for await (const event of events) fold.read(event)
  return fold.message()
}

/** The message that the events read so far make. */
export class MessageFold {
  #head: Message | undefined
  readonly #content: OpenBlock[] = []
  #hasEnded = false

  /** Takes the next event. Deltas of a block that was not started are ignored. */
  read(event: MessagesEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#head = event.message
        break
      case 'content_block_start':
        this.#content[event.index] = new OpenBlock(event.content_block)
        break
      case 'content_block_delta':
        this.#content[event.index]?.read(event.delta)
        break
      case 'message_delta':
        if (this.#head) this.#head = ended(this.#head, event)
        break
      case 'message_stop':
        this.#hasEnded = true
        break
    }
  }

  /** Throws while there is no whole message. */
  message(): Message {
    if (!this.#head || !this.#hasEnded) throw new UpstreamError(502, 'The upstream broke off its reply.')
    return { ...this.#head, content: this.content }
  }

  /** The blocks so far. */
  get content(): readonly ContentBlock[] {
    return this.#content.filter(Boolean).map((block) => block.whole())
  }

  /** A block as far as it has been read. */
  block(index: number): ContentBlock | undefined {
    return this.#content[index]?.whole()
  }
}

/** A block that grows: pieces are joined once, so that a long text costs linear time. */
class OpenBlock {
  readonly #start: ContentBlock
  readonly #text: string[] = []
  readonly #json: string[] = []
  readonly #citations: unknown[] = []
  #signature: string | undefined

  constructor(start: ContentBlock) {
    this.#start = start
  }

  read(delta: BlockDelta): void {
    switch (delta.type) {
      case 'text_delta':
        this.#text.push(delta.text)
        break
      case 'thinking_delta':
        this.#text.push(delta.thinking)
        break
      case 'signature_delta':
        this.#signature = delta.signature
        break
      case 'input_json_delta':
        this.#json.push(delta.partial_json)
        break
      case 'citations_delta':
        this.#citations.push(delta.citation)
        break
    }
  }

  whole(): ContentBlock {
    const start = this.#start
    const before = Array.isArray(start['citations']) ? start['citations'] : []
    return {
      ...start,
      ...(start.type === 'text' && { text: stringOrEmpty(start['text']) + this.#text.join('') }),
      ...(start.type === 'thinking' && { thinking: stringOrEmpty(start['thinking']) + this.#text.join('') }),
      ...(this.#signature !== undefined && { signature: this.#signature }),
      // Clients expect an object, also where the model wrote none or was cut off.
      ...(this.#json.length > 0 && { input: parseObject(this.#json.join('')) }),
      ...(this.#citations.length > 0 && { citations: [...before, ...this.#citations] }),
    }
  }
}

function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Counters are totals: those that an event names replace the earlier ones, and the others stay. */
function ended(message: Message, { delta, usage }: Extract<MessagesEvent, { type: 'message_delta' }>): Message {
  const told = Object.entries(usage).filter(([, value]) => value !== null && value !== undefined)
  return { ...message, ...delta, usage: { ...message.usage, ...Object.fromEntries(told) } }
}
