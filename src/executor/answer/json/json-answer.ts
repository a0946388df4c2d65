import type { SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { AnswerText } from '../answer-text.ts'
import { SourceIndex } from '../grounding/source-index.ts'
import { findJson } from './find-json.ts'
import { groundJson } from './ground-json.ts'
import type { JsonShape } from './json-shape.ts'

/** JSON that has to fit a schema: all of it leaves at once, or none. */
export class JsonAnswer implements AnswerText {
  readonly #shape: JsonShape
  readonly #sources: SourceIndex | undefined
  #text = ''

  /** `claimsSources`: every URL in it must be one of a source's. */
  constructor(shape: JsonShape, claimsSources: boolean) {
    this.#shape = shape
    this.#sources = claimsSources ? new SourceIndex() : undefined
  }

  addSources(results: readonly SearchResult[]): void {
    this.#sources?.add(results)
  }

  push(text: string): Iterable<SearchEvent> {
    this.#text += text
    return []
  }

  problems(): readonly string[] {
    return this.#read().problems
  }

  *end(): Iterable<SearchEvent> {
    const { value, problems } = this.#read()
    if (problems.length === 0) yield { type: 'text-delta', text: JSON.stringify(value) }
  }

  /** The first value in the text that fits; else the largest, which is the likeliest, and what is wrong with it. */
  #read(): { readonly value?: unknown; readonly problems: readonly string[] } {
    let worst = { size: 0, problems: ['There is no whole JSON value in it.'] as readonly string[] }
    for (const found of findJson(this.#text)) {
      const { value, problems } = groundJson(found, this.#sources)
      const all = [...problems, ...this.#shape.problems(value)]
      if (all.length === 0) return { value, problems: [] }
      const size = JSON.stringify(value).length
      if (size > worst.size) worst = { size, problems: all }
    }
    return worst
  }
}
