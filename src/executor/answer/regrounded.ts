import type { Citation, GroundedPart } from '@csp/grounding/grounded-part'
import { Grounding } from '@csp/grounding/grounding'
import { SourceIndex } from '@csp/grounding/source-index'
import { parseJson } from '@csp/lib/json'
import { SearchError } from '../../domain/error.ts'
import type { SearchEvent, SearchRequest, SearchResult } from '../../domain/search.ts'
import { AddressNames } from './json/addresses.ts'
import { groundJson } from './json/answer.ts'

/**
 * Grounds once more what another csp has written, which may be older than this one, or hostile: returns what is passed on
 * in place of each event. Citations are made again, and keep what the other csp quotes; of a grounded answer nothing changes.
 */
export function regrounded({ schema }: SearchRequest): (event: SearchEvent) => readonly SearchEvent[] {
  const sources: SearchResult[] = []
  const grounding = new Grounding()
  let json = ''
  let hasEnded = false
  const quotes = new ToldQuotes()
  const rest = (): readonly SearchEvent[] => {
    if (hasEnded) return []
    hasEnded = true
    const value = schema && parseJson(json)
    return schema && value !== undefined
      ? [{ type: 'text-delta', text: groundedJson(value, sources, new AddressNames(schema)) }]
      : quotes.quoted([...grounding.push(json), ...grounding.end()])
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
        if (!schema) return quotes.quoted(grounding.push(event.text))
        json += event.text
        return []
      case 'citation':
        quotes.told(event.citation)
        return []
      case 'tool-call-start':
      case 'done':
        return [...rest(), ...quotes.released(), event]
      default:
        return [event]
    }
  }
}

/**
 * What another csp quotes, for the citations that are made here of the same text. Either may come first: this csp may have
 * to see what follows a marker. One is told for each marker, in their order.
 */
class ToldQuotes {
  /** By the number of the source: of markers that are not out yet. */
  readonly #quotes = new Map<number, (string | undefined)[]>()
  /** How many markers are out without theirs. */
  readonly #missed = new Map<number, number>()
  /** Behind the last text: theirs may be told next. */
  #waiting: CitationPart[] = []

  /** The parts with their quotations. The citations at the end wait. */
  quoted(parts: readonly GroundedPart[]): readonly GroundedPart[] {
    const end = parts.findLastIndex(({ type }) => type === 'text-delta') + 1
    const out = [...this.released(), ...parts.slice(0, end).map((part) => this.#quotedOrMissed(part))]
    this.#waiting.push(...parts.slice(end).filter((part) => part.type === 'citation'))
    return out
  }

  told({ number, quote }: Citation): void {
    const missed = this.#missed.get(number) ?? 0
    const known = this.#quotes.get(number) ?? []
    if (missed > 0) this.#missed.set(number, missed - 1)
    else if (known.length < maxTold) this.#quotes.set(number, known).get(number)?.push(quote)
  }

  /** Those that wait, without what is not told by now. */
  released(): readonly GroundedPart[] {
    return this.#waiting.splice(0).map((part) => this.#quotedOrMissed(part))
  }

  #quotedOrMissed(part: GroundedPart): GroundedPart {
    if (part.type === 'text-delta') return part
    const { number } = part.citation
    const told = this.#quotes.get(number)
    if (!told?.length) this.#missed.set(number, (this.#missed.get(number) ?? 0) + 1)
    const quote = told?.shift()
    return quote === undefined ? part : { ...part, citation: { ...part.citation, quote } }
  }
}

/** An honest csp tells of one marker at a time. */
const maxTold = 1000

type CitationPart = Extract<GroundedPart, { type: 'citation' }>

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
