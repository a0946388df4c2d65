import type { SearchEvent, SearchResult } from '../../domain/search.ts'
import { Grounding } from './grounding/grounding.ts'

/** What becomes of the text that a model writes before it leaves. */
export interface AnswerText {
  /** Results may come at any time. */
  addSources(results: readonly SearchResult[]): void
  push(text: string): Iterable<SearchEvent>
  /** What is wrong with the whole text, a line each; nothing when it may leave. Asked after the last `push`. */
  problems(): readonly string[]
  /** Lets out what was kept back. Call it once. */
  end(): Iterable<SearchEvent>
}

/** Text that rests on sources: it streams, held to them. */
export class GroundedAnswer implements AnswerText {
  readonly #grounding = new Grounding()

  addSources(results: readonly SearchResult[]): void {
    this.#grounding.addSources(results)
  }

  push(text: string): Iterable<SearchEvent> {
    return this.#grounding.push(text)
  }

  problems(): readonly string[] {
    return []
  }

  end(): Iterable<SearchEvent> {
    return this.#grounding.end()
  }
}

/** Text that claims no sources, and is held to none: it streams as it is. */
export class PlainAnswer implements AnswerText {
  addSources(): void {}

  push(text: string): Iterable<SearchEvent> {
    return text === '' ? [] : [{ type: 'text-delta', text }]
  }

  problems(): readonly string[] {
    return []
  }

  end(): Iterable<SearchEvent> {
    return []
  }
}
