import { Grounding } from '@csp/grounding/grounding'
import type { SearchEvent, SearchResult } from '../../domain/search.ts'

/** Turns the text that a model writes into what the caller gets. */
export interface AnswerText {
  /** Results may come at any time. */
  addSources(results: readonly SearchResult[]): void
  push(text: string): Iterable<SearchEvent>
  /** Why the whole text cannot be sent, a line each; empty when it can. Asked after the last `push`. */
  problems(): readonly string[]
  /** Flushes buffered text. Call it once. */
  end(): Iterable<SearchEvent>
}

/** Text with sources: it streams, and cites only those. */
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

/** Text that claims no sources: it streams unchanged. */
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
