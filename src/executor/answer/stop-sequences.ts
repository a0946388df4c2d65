import { StopSequences } from '@csp/lib/stop-sequences'
import type { SearchEvent, SearchEvents } from '../../domain/search.ts'

/**
 * Ends the text of a stream before the first stop sequence. Text is held back only while its end may begin one.
 * `onStop` is called once, when one is found; the rest of the stream is then dropped up to its `done`.
 */
export async function* endAtStop(
  events: AsyncIterable<SearchEvent>,
  stop: readonly string[],
  onStop: () => void,
): SearchEvents {
  const text = new StopText(stop)
  for await (const event of events) {
    switch (event.type) {
      case 'text-delta': {
        const hadStopped = text.hasStopped
        yield* text.push(event.text)
        if (text.hasStopped && !hadStopped) onStop()
        break
      }
      case 'citation':
        yield* text.cite(event)
        break
      case 'done':
        yield* text.end()
        yield text.sequence === undefined ? event : { ...event, reason: 'stop', stopSequence: text.sequence }
        break
      default:
        // A tool call comes after the text, so no held-back sequence can be completed.
        if (event.type === 'tool-call-start') yield* text.end()
        if (!text.hasStopped) yield event
    }
  }
}

type Citing = Extract<SearchEvent, { readonly type: 'citation' }>

class StopText {
  readonly #watch: StopSequences
  #length = 0
  #citations: Citing[] = []

  constructor(stop: readonly string[]) {
    this.#watch = new StopSequences(stop)
  }

  /** The one that ended the text. */
  get sequence(): string | undefined {
    return this.#watch.found
  }

  get hasStopped(): boolean {
    return this.sequence !== undefined
  }

  push(text: string): Generator<SearchEvent> {
    return this.#emit(this.#watch.push(text))
  }

  /** A citation follows the marker that it spans; without its marker it is dropped. */
  *cite(citing: Citing): Generator<SearchEvent> {
    if (citing.citation.end <= this.#length) yield citing
    else if (!this.hasStopped) this.#citations.push(citing)
  }

  end(): Generator<SearchEvent> {
    return this.#emit(this.#watch.end())
  }

  *#emit(text: string): Generator<SearchEvent> {
    this.#length += text.length
    if (text !== '') yield { type: 'text-delta', text }
    yield* this.#citations.filter(({ citation }) => citation.end <= this.#length)
    this.#citations = this.#citations.filter(({ citation }) => citation.end > this.#length)
  }
}
