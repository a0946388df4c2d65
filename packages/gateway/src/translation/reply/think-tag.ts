import { beginningAtEnd } from '@csp/lib/stop-sequences'
import { ShownCode } from './shown-code.ts'

/** What a piece of a text is. */
export interface Split {
  readonly thought: string
  readonly text: string
}

export interface ThinkTagOptions {
  /** Whether the caller asked for thoughts. A text that begins with `<thinking>` may be what another caller asked for. */
  readonly wantsThoughts?: boolean | undefined
  /** Whether the caller waits for the whole reply: then a thought is found by its closing tag alone. */
  readonly waits?: boolean | undefined
}

/**
 * Takes the thought out of a text that begins with it, between `<think>` and `</think>`: what models write behind servers
 * that do not know their form. What could be the beginning of a tag is held back until it is known. A closing tag without an
 * opening one, which the prompt has, goes: what stands before it is a thought, as far as it has not gone out.
 */
export class ThinkTag {
  readonly #openings: readonly string[]
  readonly #waits: boolean
  #place: 'start' | 'thought' | 'behind' | 'text' = 'start'
  #closing = closing
  #held = ''
  #hasWords = false
  /** Whether a closing tag may still come. */
  #isOpen = true
  readonly #shown = new ShownCode()
  #hasSaid = false

  constructor({ wantsThoughts = false, waits = false }: ThinkTagOptions = {}) {
    this.#openings = wantsThoughts ? allOpenings : allOpenings.slice(0, 1)
    this.#waits = waits
  }

  get isHolding(): boolean {
    return this.#held !== ''
  }

  push(piece: string): Split {
    if (this.#place === 'text' && !this.#isOpen) return { thought: '', text: piece }
    const all = this.#held + piece
    this.#held = ''
    if (this.#place === 'start') return this.#begin(all)
    if (this.#place === 'text') return this.#say(all, false)
    return this.#place === 'thought' ? this.#think(all) : this.#skip(all)
  }

  /** What was held back, when nothing more comes, or something else than text. */
  end(): Split {
    const held = this.#held
    this.#held = ''
    if (this.#place === 'thought') {
      this.#place = 'text'
      this.#isOpen = false
      return { thought: held, text: '' }
    }
    this.#place = 'text'
    const split = this.#say(held, true)
    this.#isOpen = false
    return split
  }

  #begin(all: string): Split {
    const begun = all.trimStart()
    const opening = this.#openings.find((each) => begun.startsWith(each))
    if (opening) {
      this.#place = 'thought'
      this.#isOpen = false
      this.#closing = `</${opening.slice(1)}`
      return this.#think(begun.slice(opening.length))
    }
    if (this.#openings.some((each) => each.startsWith(begun)) && all.length < maxHeld) {
      this.#held = all
      return nothing
    }
    this.#place = 'text'
    return this.#say(all, false)
  }

  #think(piece: string): Split {
    const all = this.#hasWords ? piece : piece.trimStart()
    this.#hasWords ||= all !== ''
    const end = all.indexOf(this.#closing)
    if (end < 0) {
      const kept = beginningAtEnd(all, this.#closing)
      this.#held = all.slice(all.length - kept)
      return { thought: all.slice(0, all.length - kept), text: '' }
    }
    this.#place = 'behind'
    return { thought: all.slice(0, end), text: this.#skip(all.slice(end + this.#closing.length)).text }
  }

  /** The empty lines between a thought and the text. */
  #skip(all: string): Split {
    const text = all.trimStart()
    if (text !== '') this.#place = 'text'
    return { thought: '', text }
  }

  /** A text in which a closing tag may stand alone. */
  #say(all: string, isEnd: boolean): Split {
    if (this.#waits && !isEnd && all.length < maxWaiting) {
      this.#held = all
      return nothing
    }
    const end = this.#isOpen ? all.indexOf(closing) : -1
    if (end < 0) {
      const kept = isEnd || !this.#isOpen ? 0 : beginningAtEnd(all, closing)
      this.#held = all.slice(all.length - kept)
      return { thought: '', text: this.#passed(all.slice(0, all.length - kept)) }
    }
    const behind = all.slice(end + closing.length)
    // What follows says whether it is the tag, or talk of it.
    if (!isEnd && behind.length < maxHeld && behind.trim() === '') {
      this.#held = all
      return nothing
    }
    const hadSaid = this.#hasSaid
    const before = this.#passed(all.slice(0, end))
    const isTag =
      !this.#shown.isCode &&
      !before.includes(allOpenings[0] ?? '') &&
      (this.#shown.isLineStart || /^[^\S\n]*(?:\n|$)/.test(behind))
    this.#isOpen = false
    if (!isTag) return { thought: '', text: all }
    // Where nothing follows, what stands before it is all that the model answered.
    const isText = hadSaid || behind.trim() === ''
    return isText ? { thought: '', text: before + behind } : { thought: before.trim(), text: behind.trimStart() }
  }

  #passed(text: string): string {
    this.#hasSaid ||= /\S/.test(text)
    this.#shown.read(text)
    return text
  }
}

const allOpenings = ['<think>', '<thinking>', '<thought>']
const closing = '</think>'
const maxHeld = 100
/** Characters of a reply that are held back for one closing tag. */
const maxWaiting = 500_000
const nothing: Split = { thought: '', text: '' }
