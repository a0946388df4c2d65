import { Parser } from 'htmlparser2'
import { Element, link, Text } from './nodes.ts'

/**
 * The elements and texts of HTML as they are written, in an element of no name. `onElement` is told of each how deep it
 * is, and may throw: the parser takes the square of the depth.
 */
export function parseTree(html: string, onElement: (depth: number) => void): Element {
  const top = new Element('')
  const builder = new Builder(top, onElement)
  const parser = new Parser(builder)
  parser.write(html)
  parser.end()
  return top
}

/** Takes what the parser finds. */
class Builder {
  readonly #onElement: (depth: number) => void
  /** Names are written over and over; one string stands for each. */
  readonly #names = new Map<string, string>()
  #at: Element
  #depth = 0

  constructor(top: Element, onElement: (depth: number) => void) {
    this.#at = top
    this.#onElement = onElement
  }

  onopentagname(written: string): void {
    this.#onElement(this.#depth++)
    const element = new Element(this.#known(written))
    link(this.#at, element, null)
    this.#at = element
  }

  onattribute(name: string, value: string): void {
    this.#at.addAttribute(this.#known(name), name === 'class' && oddSpace.test(value) ? oneSpaced(value) : value)
  }

  onclosetag(): void {
    if (!this.#at.parentElement) return
    this.#at = this.#at.parentElement
    this.#depth--
  }

  /** Entities come alone, and comments divide nothing. */
  ontext(data: string): void {
    const last = this.#at.lastChild
    if (last?.nodeType === 3) last.data += data
    else link(this.#at, new Text(data), null)
  }

  #known(name: string): string {
    const known = this.#names.get(name)
    if (known !== undefined) return known
    this.#names.set(name, name)
    return name
  }
}

const oddSpace = /^\s|\s$|\s\s|[^\S ]/

function oneSpaced(value: string): string {
  return value.trim().replace(/\s+/g, ' ')
}
