import { SearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../domain/search.ts'

/** What a model said in place of JSON that fits a schema. */
export function refusalIn(text: string): string {
  return text.trim() || 'The model refused to answer.'
}

/** Holds the text of a reply that has to fit a schema until it is known whether it is a refusal. */
export class HeldText {
  readonly #isHeld: boolean
  #text = ''
  #refusal: string | undefined

  constructor(isHeld: boolean) {
    this.#isHeld = isHeld
  }

  /** Why the model refused, once the reply has ended. It is no part of the events. */
  get refusal(): string | undefined {
    return this.#refusal
  }

  /** What is passed on in place of an event. */
  pass(event: SearchEvent): readonly SearchEvent[] {
    if (!this.#isHeld) return [event]
    if (event.type === 'text-delta') {
      this.#text += event.text
      return []
    }
    if (event.type !== 'done' && event.type !== 'tool-call-start') return [event]
    const text = this.#text
    this.#text = ''
    if (event.type === 'done' && event.reason === 'refusal') this.#refusal = refusalIn(text)
    return text && this.#refusal === undefined ? [{ type: 'text-delta', text }, event] : [event]
  }
}

/** For replies that have no place for a refusal: fails where the model refuses to write what has to fit a schema. */
export async function* unlessRefused(
  events: AsyncIterable<SearchEvent>,
  requests: readonly SearchRequest[],
): SearchEvents {
  const held = new HeldText(requests.some(({ schema }) => schema !== undefined))
  for await (const event of events) {
    const passed = held.pass(event)
    if (held.refusal !== undefined) throw modelRefused(held.refusal)
    yield* passed
  }
}

/** No fault of csp or a backend, and the same request would be refused again. */
export function modelRefused(refusal: string): SearchError {
  const forOthers = 'The model refused to answer.'
  return new SearchError(
    'invalid-request',
    refusal === forOthers ? refusal : `The model refused to answer: ${refusal}`,
    {
      forOthers,
    },
  )
}
