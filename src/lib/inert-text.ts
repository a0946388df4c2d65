/**
 * Makes text inert while it streams, one for one: each UTF-16 unit that would act on a terminal, turn the direction of
 * writing or carry a hidden message becomes a space, and half of a surrogate pair becomes U+FFFD. Where the text was cut
 * into pieces changes nothing of it; the first half of a pair waits for the other.
 */
export class InertText {
  #waiting = ''

  push(text: string): string {
    const whole = this.#waiting + text
    this.#waiting = endsInHalfPair.test(whole) ? whole.slice(-1) : ''
    return inert(this.#waiting ? whole.slice(0, -1) : whole)
  }

  /** Lets out what has waited. More may follow. */
  end(): string {
    const rest = this.#waiting
    this.#waiting = ''
    return inert(rest)
  }
}

function inert(text: string): string {
  return text.toWellFormed().replace(active, (found) => ' '.repeat(found.length))
}

const endsInHalfPair = /[\ud800-\udbff]$/

/** Controls but newline and tab; embeddings, overrides and isolates; letters that only a machine reads. */
const active = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu
