import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import type { Answer, Citation, SearchEvent } from '../../../domain/search.ts'
import { type CitedPart, CitedText } from '../shared/cited-text.ts'
import { faviconOf } from '../shared/favicon.ts'

/** A piece of an answer as Brave cuts it: text without markers, or the source of the text before it. */
export type BravePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: BraveCitation }

/** Offsets are UTF-16 and end-exclusive; they span the text since the last citation, markers not counted. */
export interface BraveCitation {
  readonly start_index: number
  readonly end_index: number
  /** 1-based place among the sources. */
  readonly number: number
  readonly url: string
  readonly favicon?: string | undefined
  readonly snippet: string
}

/** Cuts an answer into text and citations while it streams. */
export class BraveCitedParts {
  readonly #fold = new AnswerFold()
  readonly #text = new CitedText()
  #start = 0
  #end = 0
  #isCited = false

  add(event: SearchEvent): readonly BravePart[] {
    this.#fold.add(event)
    if (event.type === 'text-delta') return this.#write(this.#text.push(event.text, this.#sources.length))
    return event.type === 'citation' ? this.#write(this.#text.cite(event.citation)) : []
  }

  /** What was held back. */
  flush(): readonly BravePart[] {
    return this.#write(this.#text.flush())
  }

  /** Throws `failed` when no `done` event came. */
  get answer(): Answer {
    return this.#fold.finish()
  }

  get #sources() {
    return sourcesOf(this.#fold.searches)
  }

  #write(parts: readonly CitedPart[]): readonly BravePart[] {
    return parts.map((part) => {
      if (part.type === 'citation') return { type: 'citation', citation: this.#cite(part.citation) }
      if (this.#isCited) this.#start = this.#end
      this.#isCited = false
      this.#end += part.text.length
      return part
    })
  }

  #cite({ number, url }: Citation): BraveCitation {
    this.#isCited = true
    const site = URL.parse(url)
    return {
      start_index: this.#start,
      end_index: this.#end,
      number,
      url,
      favicon: site ? faviconOf(site) : undefined,
      snippet: this.#sources[number - 1]?.snippet ?? '',
    }
  }
}
