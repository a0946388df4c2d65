/** Parts of character classes, in the notation of a regular expression. */
const tabAndNewline = String.raw`\t\n`
const otherControls = String.raw`\x00-\x08\x0b-\x1f\x7f-\x9f`
const surrogates = String.raw`\ud800-\udfff`
/** Embeddings, overrides and isolates: they change the direction of the text behind them. */
const directionChanges = String.raw`\u202a-\u202e\u2066-\u2069`
/** Nothing is seen of them. Joiners are not among them: scripts and emoji need those. */
const invisible = String.raw`\u00ad\u061c\u180e\u200b\u200e\u200f${directionChanges}\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb`
const lineSeparators = String.raw`\u2028\u2029`
const variationSelectors = String.raw`\ufe00-\ufe0f`
/** Letters that only a machine reads. */
const tags = String.raw`\u{e0000}-\u{e007f}`

/**
 * Removes from untrusted text what acts on the terminal or page that shows it: escape sequences, control characters
 * except newline and tab, marks that change the direction of writing, and invisible characters except the joiners that
 * scripts and emoji need.
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
  return oneLine(plainText(text))
}

/** A text as one line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Most text holds none of these, and one test is enough to know. Without the flag `u`, surrogates stand for `tags`. */
const suspect = new RegExp(`[${otherControls}${invisible}${lineSeparators}${surrogates}${variationSelectors}]`)

/**
 * CSI, OSC and the other string sequences, and the two-character ones, in their 7-bit and 8-bit forms. A string ends
 * before the next one, so that many open ones take linear time.
 */
const escapes =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\x9d\x90\x98\x9e\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const unprintable = new RegExp(`[${otherControls}${invisible}${lineSeparators}${tags}]`, 'gu')

/** One variation selector chooses a glyph; several in a row are letters that only a machine reads. */
const hiddenMessage = new RegExp(String.raw`[${variationSelectors}\u{e0100}-\u{e01ef}]{2,}`, 'gu')

/** Whether text holds what cannot be seen: white space other than a space, controls, invisible characters. */
export function hasUnseen(text: string): boolean {
  return unseen.test(text)
}

const unseen = new RegExp(String.raw`[^\S ]|[${tabAndNewline}${otherControls}${surrogates}${invisible}${tags}]`, 'u')

/**
 * Replaces by spaces what neither a search engine nor a reader needs: control characters, lone surrogates and, unless
 * kept, line breaks and tabs. Unlike `plainText` it changes nothing else: the text is the caller's own.
 */
export function cleanText(text: string, keepLines = false): string {
  return keepLines ? text.replace(/\r\n?/g, '\n').replace(unreadable, ' ') : text.replace(unreadableOrBreak, ' ')
}

const unreadable = new RegExp(`[${otherControls}${surrogates}]`, 'gu')
const unreadableOrBreak = new RegExp(`[${tabAndNewline}${otherControls}${surrogates}]`, 'gu')

/**
 * Makes text inert while it streams, one for one: each UTF-16 unit that would act on a terminal, change the direction
 * of writing or carry a hidden message becomes a space, and half of a surrogate pair becomes U+FFFD. Where the text was cut
 * into pieces changes nothing of it; the first half of a pair waits for the other.
 */
export class InertText {
  #waiting = ''

  push(text: string): string {
    const whole = this.#waiting + text
    this.#waiting = endsInHalfPair.test(whole) ? whole.slice(-1) : ''
    return inert(this.#waiting ? whole.slice(0, -1) : whole)
  }

  /** Flushes the half that waits. More may follow. */
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

/**
 * Removes from text, while it streams, what is invisible and a machine may read: zero-width letters, byte order marks, and
 * variation selectors that choose no glyph. Joiners, single marks of direction and soft hyphens stay, since scripts, emoji
 * and words need them.
 */
export class SeenText {
  /** Where units were removed, as places in the text without them, in order. */
  readonly #removed: number[] = []
  #read = 0
  #last = ''

  push(text: string): string {
    const start = this.#read
    this.#read += text.length
    const before = this.#last
    const seen = text.replace(unseenLetters, (found, place: number) => {
      const previous = place > 0 ? charBefore(text, place) : before
      if (isGlyphChoice(found, previous)) return found
      for (let unit = 0; unit < found.length; unit++) this.#removed.push(start + place + unit)
      return ''
    })
    this.#last = charBefore(text, text.length) || before
    return seen
  }

  /** The place of a unit after the removal of those before it. */
  place(place: number): number {
    let low = 0
    for (let high = this.#removed.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.#removed[middle] ?? 0) < place) low = middle + 1
      else high = middle
    }
    return place - low
  }
}

/** The last character before a place. */
function charBefore(text: string, place: number): string {
  return /[\ud800-\udbff]?[\s\S]$/.exec(text.slice(Math.max(0, place - 2), place))?.[0] ?? ''
}

const unseenLetters = new RegExp(
  String.raw`[\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]|[${variationSelectors}\u{e0100}-\u{e01ef}]`,
  'gu',
)

/** Emoji choose between two glyphs, ideographs among several; any other selector, or a second one, shows nothing. */
function isGlyphChoice(selector: string, previous: string): boolean {
  if (/^[\ufe0e\ufe0f]$/.test(selector)) return /[\p{Extended_Pictographic}#*0-9]$/u.test(previous)
  return /^[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]$/u.test(selector) && /\p{Script=Han}$/u.test(previous)
}

/** Fewer than `unprintable`: a space in place of a soft hyphen or a zero-width space would be seen, in the middle of a word. */
const active = new RegExp(`[${otherControls}${directionChanges}${tags}]`, 'gu')

/** The text as one word of a command line, quoted where a shell would interpret it. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
