import type { Evidence } from '@csp/evidence/evidence'
import { sentenceEnds } from '@csp/language/sentence-ends'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Citation, Search, SearchEvent } from '../../../domain/search.ts'
import { type CitedPart, CitedText } from '../shared/cited-text.ts'

/** A passage of the text and the numbers of the sources that it rests on. Offsets are UTF-16, end-exclusive. */
interface Support {
  readonly start: number
  readonly end: number
  readonly numbers: readonly number[]
}

/** The text of an answer without its markers, and what each passage of it rests on. */
export class GeminiGrounding {
  readonly #cited = new CitedText()
  readonly #supports: Support[] = []
  #sources = new Set<string>()
  #text = ''

  /** The text that an event adds. */
  push(event: SearchEvent): string {
    switch (event.type) {
      case 'search-results':
        for (const { url } of event.results) this.#sources.add(url)
        return ''
      case 'text-delta':
        return this.#add(this.#cited.push(event.text, this.#sources.size))
      case 'citation':
        return this.#add(this.#cited.cite(event.citation))
      default:
        return ''
    }
  }

  /** The text that was held back. */
  flush(): string {
    return this.#add(this.#cited.flush())
  }

  /**
   * Gemini's account of an answer's sources: those that the text cites, or all of them where it cites none. Places in
   * the text are in bytes of UTF-8.
   */
  metadata(searches: readonly Search[], evidence: readonly Evidence[] = []) {
    const sources = sourcesOf(searches)
    const numbered = sources.map((source, place) => ({ source, number: place + 1 }))
    const used = new Set(this.#supports.flatMap(({ numbers }) => numbers))
    const chunks = used.size > 0 ? numbered.filter(({ number }) => used.has(number)) : numbered
    const places = new Map(chunks.map(({ number }, place) => [number, place]))
    return {
      webSearchQueries: [...new Set(searches.map(({ query }) => query).filter(Boolean))],
      groundingChunks: chunks.map(({ source: { url, title } }) => ({ web: { uri: url, title } })),
      groundingSupports: this.#inBytes().map(({ numbers, ...segment }) => ({
        segment,
        groundingChunkIndices: numbers.flatMap((number) => places.get(number) ?? []),
        ...(evidence.length > 0 && { confidenceScores: scoresOf(segment.text, numbers, evidence) }),
      })),
    }
  }

  #add(parts: readonly CitedPart[]): string {
    let added = ''
    for (const part of parts) {
      if (part.type === 'text') {
        added += part.text
        this.#text += part.text
      } else {
        this.#cite(part.citation)
      }
    }
    return added
  }

  #cite({ number }: Citation): void {
    const last = this.#supports.at(-1)
    const [start, end] = passageBefore(this.#text, last?.end ?? 0)
    if (start < end) {
      this.#supports.push({ start, end, numbers: [number] })
    } else if (last && !last.numbers.includes(number)) {
      this.#supports[this.#supports.length - 1] = { ...last, numbers: [...last.numbers, number] }
    }
  }

  #inBytes() {
    const encoder = new TextEncoder()
    let [unit, byte] = [0, 0]
    const bytesTo = (place: number): number => {
      byte += encoder.encode(this.#text.slice(unit, place)).byteLength
      unit = place
      return byte
    }
    return this.#supports.map(({ start, end, numbers }) => ({
      startIndex: bytesTo(start),
      endIndex: bytesTo(end),
      text: this.#text.slice(start, end),
      numbers,
    }))
  }
}

/** For each source, how much of a passage is on the pages that it cites: 0 where that is not known. */
function scoresOf(text: string, numbers: readonly number[], evidence: readonly Evidence[]): readonly number[] {
  const bare = (words: string) => words.replace(/[^\p{L}\p{N}]+/gu, '')
  const passage = bare(text)
  const known = evidence.filter(({ sentence }) => bare(sentence).includes(passage) || passage.includes(bare(sentence)))
  return numbers.map((number) => known.find(({ sources }) => sources.includes(number))?.score ?? 0)
}

/** The last sentence of a text, or what of it stands behind `from`. */
function passageBefore(text: string, from: number): readonly [start: number, end: number] {
  const rest = text.slice(from).trimEnd()
  const opening = /^[\s.,;:!?…)\]}'"”’»。，；：！？）】]*/.exec(rest)?.[0].length ?? 0
  let start = opening
  for (const end of sentenceEnds(rest)) {
    const next = end + (/\S/.exec(rest.slice(end))?.index ?? 0)
    if (next > start && next < rest.length) start = next
  }
  return [from + start, from + rest.length]
}
