import { Grounding } from '@csp/grounding/grounding'
import { SourceIndex } from '@csp/grounding/source-index'
import { parseJson } from '@csp/lib/json'
import { SearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'
import { AddressNames } from './json/addresses.ts'
import { groundJson } from './json/answer.ts'

/**
 * Grounds once more what another csp has written, which may be older than this one, or hostile: returns what is passed on
 * in place of each event. Citations are made again; of a grounded answer nothing changes.
 */
export function regrounded({ schema }: SearchRequest): (event: SearchEvent) => readonly SearchEvent[] {
  const sources: SearchResult[] = []
  const grounding = new Grounding()
  let json = ''
  let hasEnded = false
  const rest = (): readonly SearchEvent[] => {
    if (hasEnded) return []
    hasEnded = true
    const value = schema && parseJson(json)
    return schema && value !== undefined
      ? [{ type: 'text-delta', text: groundedJson(value, sources, new AddressNames(schema)) }]
      : [...grounding.push(json), ...grounding.end()]
  }
  return (event) => {
    switch (event.type) {
      case 'search-results':
        sources.push(...event.results)
        grounding.addSources(event.results)
        return [event]
      case 'text-delta':
        // A tool call ends the text.
        if (hasEnded) return []
        if (!schema) return grounding.push(event.text)
        json += event.text
        return []
      case 'citation':
        return []
      case 'tool-call-start':
      case 'done':
        return [...rest(), event]
      default:
        return [event]
    }
  }
}

function groundedJson(value: unknown, sources: readonly SearchResult[], names: AddressNames): string {
  const index = new SourceIndex()
  index.add(sources)
  const grounded = groundJson(value, index, names)
  const [problem] = grounded.problems
  if (problem !== undefined) {
    const forOthers = 'The other csp wrote JSON that csp refuses.'
    throw new SearchError('failed', `${forOthers} ${problem}`, { forOthers })
  }
  return JSON.stringify(grounded.value)
}
