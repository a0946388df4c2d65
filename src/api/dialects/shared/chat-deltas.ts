import type { Answer, SearchEvent } from '../../../domain/search.ts'

/** How a chat tells the calls of the caller's functions. */
export interface CallWish {
  /** False: at most one call. The model may have made more; it makes them again when it has the first one's result. */
  readonly parallel_tool_calls?: boolean | undefined
}

/** The calls of a whole message, for its `tool_calls`. */
export function formatToolCalls({ toolCalls }: Answer, { parallel_tool_calls }: CallWish): readonly unknown[] {
  return toolCalls.slice(0, parallel_tool_calls === false ? 1 : undefined).map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text || noArguments },
  }))
}

/** What the deltas of a streamed chat say: text, and calls each by its place, with id and name in the first piece only. */
export class ChatDeltas {
  readonly #ids: string[] = []
  readonly #wish: CallWish

  constructor(wish: CallWish) {
    this.#wish = wish
  }

  /** The content of the next delta; `undefined` when the event has none. */
  of(event: SearchEvent): object | undefined {
    switch (event.type) {
      case 'text-delta':
        return event.text ? { content: event.text } : undefined
      case 'tool-call-start':
        this.#ids.push(event.id)
        return this.#call(event.id, { name: event.name, arguments: '' }, { id: event.id, type: 'function' })
      case 'tool-call-delta':
        return this.#call(event.id, { arguments: event.arguments })
      default:
        return undefined
    }
  }

  /** What is still to be said when all has come. */
  rest({ toolCalls }: Answer): readonly object[] {
    const silent = toolCalls.filter((call) => !call.arguments)
    return silent.flatMap(({ id }) => this.#call(id, { arguments: noArguments }) ?? [])
  }

  #call(callId: string, called: object, more: object = {}): object | undefined {
    const index = this.#ids.indexOf(callId)
    if (index < 0 || (index > 0 && this.#wish.parallel_tool_calls === false)) return undefined
    return { tool_calls: [{ index, ...more, function: called }] }
  }
}

/** A function without parameters may be called with no text at all; but clients parse what they get. */
const noArguments = '{}'
