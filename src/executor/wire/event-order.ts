import { sourcesOf } from '../../domain/answer.ts'
import type { Search, SearchEvent, SearchResult } from '../../domain/search.ts'

/** Checks the order of events in a stream from outside, one event at a time. */
export class EventOrder {
  readonly #searches = new Map<string, Search>()
  readonly #calls = new Set<string>()
  #sources: readonly SearchResult[] = []
  #text = ''
  #last: SearchEvent['type'] | undefined

  /** Whether the stream has ended. */
  get isDone(): boolean {
    return this.#last === 'done'
  }

  /** What is wrong with the next event at this place; `undefined` if nothing is. */
  add(event: SearchEvent): string | undefined {
    const problem = this.isDone ? 'something after its end' : this.#check(event)
    this.#last = event.type
    return problem
  }

  #check(event: SearchEvent): string | undefined {
    switch (event.type) {
      case 'cache':
        return unless(this.#last === undefined, 'a cache event that is not the first')
      case 'backend':
        return unless(this.#last === undefined || this.#last === 'cache', 'a backend that is named too late')
      case 'search-start': {
        const { id, query } = event
        const isNew = !this.#searches.has(id)
        this.#searches.set(id, { id, query, results: [] })
        return unless(isNew, 'a search that starts twice')
      }
      case 'search-results':
        return this.#addResults(event.id, event.results)
      case 'text-delta':
        this.#text += event.text
        return undefined
      case 'citation': {
        const { number, start, end, url } = event.citation
        const isMarker = this.#text.slice(start, end) === `[${number}]`
        return unless(isMarker && this.#sources[number - 1]?.url === url, 'a citation of nothing')
      }
      case 'tool-call-start': {
        const isNew = !this.#calls.has(event.id)
        this.#calls.add(event.id)
        return unless(isNew, 'a tool call that starts twice')
      }
      case 'tool-call-delta':
        return unless(this.#calls.has(event.id), 'a tool call that never started')
      case 'reading':
      case 'research':
      case 'done':
        return undefined
    }
  }

  #addResults(id: string, results: readonly SearchResult[]): string | undefined {
    const search = this.#searches.get(id)
    if (!search) return 'results of a search that never started'
    this.#searches.set(id, { ...search, results })
    this.#sources = sourcesOf([...this.#searches.values()])
    return undefined
  }
}

function unless(isRight: boolean, problem: string): string | undefined {
  return isRight ? undefined : problem
}
