/**
 * Takes from text of strangers what acts on whoever shows it: escape sequences, control characters but newline and
 * tab, marks that turn the direction of writing, and invisible characters but the joiners that scripts and emoji need.
 */
export function plainText(text: string): string {
  if (!suspect.test(text)) return text
  return text
    .toWellFormed()
    .replace(escapes, '')
    .replace(/\r\n?/g, '\n')
    .replace(unprintable, '')
    .replace(hiddenMessage, '')
}

/** Like `plainText`, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

/** Most text holds nothing of the kind, and one look tells. */
const suspect =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]|[\ufe00-\ufe0f]/

/** CSI, OSC and the other string sequences, and the two-character ones, in their 7-bit and 8-bit forms. */
const escapes =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const unprintable =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** One variation selector chooses a glyph; several in a row are letters that only a machine reads. */
const hiddenMessage = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu

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
