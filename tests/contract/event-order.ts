import { expect } from 'bun:test'
import { sourcesOf } from '../../src/domain/answer.ts'
import type { Search, SearchEvent } from '../../src/domain/search.ts'

/** Expects a whole stream to keep the order that `SearchEvent` promises, and its citations to point at their markers. */
export function expectEventOrder(events: readonly SearchEvent[]): void {
  const searches = new Map<string, Search>()
  let text = ''
  for (const [index, event] of events.entries()) {
    switch (event.type) {
      case 'cache':
        expect(index, 'a cache event comes first').toBe(0)
        break
      case 'backend':
        expect(index, 'a backend comes before the search').toBe(events[0]?.type === 'cache' ? 1 : 0)
        break
      case 'search-start':
        expect([...searches.keys()], 'an id starts once').not.toContain(event.id)
        searches.set(event.id, { id: event.id, query: event.query, results: [] })
        break
      case 'search-results': {
        const started = searches.get(event.id)
        expect(started, 'results follow their start').toBeDefined()
        for (const { url } of event.results) expect(url).toMatch(/^https?:\/\//)
        searches.set(event.id, { id: event.id, query: started?.query ?? '', results: event.results })
        break
      }
      case 'text-delta':
        text += event.text
        break
      case 'citation': {
        const { number, start, end, url, title } = event.citation
        expect(text.slice(start, end), 'a citation spans its marker').toBe(`[${number}]`)
        const page = sourcesOf([...searches.values()])[number - 1]
        expect(page && { url: page.url, title: page.title }, 'a citation names a source').toEqual({ url, title })
        break
      }
      case 'done':
        expect(index, 'done comes last').toBe(events.length - 1)
        break
    }
  }
  expect(events.at(-1)?.type, 'a stream ends with done').toBe('done')
}
