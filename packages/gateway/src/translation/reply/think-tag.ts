import { beginningAtEnd } from '@csp/lib/stop-sequences'

/** What a piece of a text is. */
interface Split {
  readonly thought: string
  readonly text: string
}

/**
 * Takes the thought out of a text that begins with it, between `<think>` and `</think>`: what models write behind servers
 * that do not know their form. What could be the beginning of a tag is held back until it is known.
 */
export class ThinkTag {
  #place: 'start' | 'thought' | 'behind' | 'text' = 'start'
  #held = ''
  #hasWords = false

  push(piece: string): Split {
    if (this.#place === 'text') return { thought: '', text: piece }
    const all = this.#held + piece
    this.#held = ''
    if (this.#place === 'start') return this.#begin(all)
    return this.#place === 'thought' ? this.#think(all) : this.#skip(all)
  }

  /** What was held back, when nothing more comes, or something else than text. */
  end(): Split {
    const held = this.#held
    const isThought = this.#place === 'thought'
    this.#held = ''
    this.#place = 'text'
    return isThought ? { thought: held, text: '' } : { thought: '', text: held }
  }

  #begin(all: string): Split {
    const begun = all.trimStart()
    if (begun.startsWith(opening)) {
      this.#place = 'thought'
      return this.#think(begun.slice(opening.length))
    }
    if (opening.startsWith(begun) && all.length < maxHeld) {
      this.#held = all
      return nothing
    }
    this.#place = 'text'
    return { thought: '', text: all }
  }

  #think(piece: string): Split {
    const all = this.#hasWords ? piece : piece.trimStart()
    this.#hasWords ||= all !== ''
    const end = all.indexOf(closing)
    if (end < 0) {
      const kept = beginningAtEnd(all, closing)
      this.#held = all.slice(all.length - kept)
      return { thought: all.slice(0, all.length - kept), text: '' }
    }
    this.#place = 'behind'
    return { thought: all.slice(0, end), text: this.#skip(all.slice(end + closing.length)).text }
  }

  /** The empty lines between a thought and the text. */
  #skip(all: string): Split {
    const text = all.trimStart()
    if (text !== '') this.#place = 'text'
    return { thought: '', text }
  }
}

const opening = '<think>'
const closing = '</think>'
const maxHeld = 100
const nothing: Split = { thought: '', text: '' }
