import { parseJson } from '@csp/lib/json'
import type { SearchEvent } from '../../../domain/search.ts'

type Call = { readonly name: string; arguments: string; isTold: boolean }

/**
 * Puts parallel tool calls one after another, since content blocks must not overlap. The first passes through as it
 * comes; other events wait until its arguments are complete.
 */
export class SequentialToolCalls {
  readonly #onlyOne: boolean
  /** The open calls, in the order of their start. */
  readonly #calls = new Map<string, Call>()
  readonly #waiting: SearchEvent[] = []
  #begun = 0

  /** `onlyOne`: calls after the first are left out. */
  constructor(onlyOne: boolean) {
    this.#onlyOne = onlyOne
  }

  push(event: SearchEvent): readonly SearchEvent[] {
    switch (event.type) {
      case 'tool-call-start':
        if (this.#begun++ > 0 && this.#onlyOne) return []
        this.#calls.set(event.id, { name: event.name, arguments: '', isTold: false })
        return this.#settle(isWhole)
      case 'tool-call-delta': {
        const call = this.#calls.get(event.id)
        if (!call) return []
        call.arguments += event.arguments
        return call.isTold ? [event] : []
      }
      default: {
        const settled = this.#settle(isWhole)
        this.#waiting.push(event)
        return this.#calls.size === 0 ? [...settled, ...this.#waiting.splice(0)] : settled
      }
    }
  }

  /** Flushes the waiting events. */
  end(): readonly SearchEvent[] {
    return [...this.#settle(() => true), ...this.#waiting]
  }

  /** Emits calls up to the first that has not ended. */
  #settle(hasEnded: (call: Call) => boolean): readonly SearchEvent[] {
    const events: SearchEvent[] = []
    for (const [id, call] of this.#calls) {
      if (!call.isTold) events.push({ type: 'tool-call-start', id, name: call.name })
      if (!call.isTold && call.arguments) events.push({ type: 'tool-call-delta', id, arguments: call.arguments })
      call.isTold = true
      if (!hasEnded(call)) break
      this.#calls.delete(id)
    }
    return events
  }
}

/** Nothing can follow a complete JSON object. */
function isWhole({ arguments: json }: Call): boolean {
  return parseJson(json) !== undefined
}
