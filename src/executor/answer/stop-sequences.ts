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
  readonly #stop: readonly string[]
  #waiting = ''
  #length = 0
  #citations: Citing[] = []
  /** The one that ended the text. */
  sequence: string | undefined

  constructor(stop: readonly string[]) {
    this.#stop = stop.filter((sequence) => sequence !== '')
  }

  *push(text: string): Generator<SearchEvent> {
    if (this.hasStopped) return
    this.#waiting += text
    const { place, sequence } = this.#found() ?? {}
    this.sequence = sequence
    yield* this.#emit(place ?? this.#waiting.length - this.#held())
    if (this.hasStopped) this.#waiting = ''
  }

  /** A citation follows the marker that it spans; without its marker it is dropped. */
  *cite(citing: Citing): Generator<SearchEvent> {
    if (citing.citation.end <= this.#length) yield citing
    else if (!this.hasStopped) this.#citations.push(citing)
  }

  *end(): Generator<SearchEvent> {
    yield* this.#emit(this.#waiting.length)
  }

  *#emit(end: number): Generator<SearchEvent> {
    const text = this.#waiting.slice(0, end)
    this.#waiting = this.#waiting.slice(end)
    this.#length += text.length
    if (text !== '') yield { type: 'text-delta', text }
    yield* this.#citations.filter(({ citation }) => citation.end <= this.#length)
    this.#citations = this.#citations.filter(({ citation }) => citation.end > this.#length)
  }

  get hasStopped(): boolean {
    return this.sequence !== undefined
  }

  /** The sequence that is complete first, so that the result does not depend on how the text was split. */
  #found(): { readonly place: number; readonly sequence: string } | undefined {
    const found = this.#stop
      .map((sequence) => ({ place: this.#waiting.indexOf(sequence), sequence, length: sequence.length }))
      .filter(({ place }) => place >= 0)
      .sort((a, b) => a.place + a.length - (b.place + b.length) || a.place - b.place)
    return found[0]
  }

  /** How many trailing characters may begin a sequence. */
  #held(): number {
    const max = Math.max(0, ...this.#stop.map(({ length }) => length - 1))
    for (let length = Math.min(max, this.#waiting.length); length > 0; length--) {
      const tail = this.#waiting.slice(-length)
      if (this.#stop.some((sequence) => sequence.startsWith(tail))) return length
    }
    return 0
  }
}
