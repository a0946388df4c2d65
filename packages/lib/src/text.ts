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
/** Scripts, emoji and words need them: joiners, soft hyphens, marks of direction, fillers. */
const joiners = String.raw`\u00ad\u034f\u061c\u115f\u1160\u180b-\u180d\u180f\u200c-\u200f`
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

/** With 30 marks on a letter at most, as Unicode's stream-safe format has it: `normalize` takes quadratic time for more. */
export function withoutPiles(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, '$1')
}

/** `1 page`, `2 pages`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** At most so many characters of a text, cut between two words where that is possible. */
export function cutAtWord(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const cut = text.lastIndexOf(' ', maxLength)
  return text.slice(0, cut > 0 ? cut : maxLength).toWellFormed()
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
 * of writing or carry a hidden message becomes a space, and half of a surrogate pair becomes U+FFFD. The cuts between
 * pieces make no difference: the first half of a pair waits for the other.
 */
export class InertText {
  #waiting = ''

  /** Takes the next piece. Returns the text that is safe to pass on. */
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
 * Cleans written text while it streams, so that it can be judged as a reader sees it: like `InertText`, and it removes
 * invisible characters. Joiners, soft hyphens, marks of direction and glyph choices stay, up to two in a row, beside a
 * character that is not ASCII: scripts, emoji and words need them. The cuts between pieces make no difference.
 */
export class CleanText {
  readonly #inert = new InertText()
  /** Where units were removed, as places in the text with them, in order. */
  readonly #removed: number[] = []
  #read = 0
  #last = ''
  /** What nobody sees and the next character decides on, with its places. */
  #run: { readonly char: string; readonly place: number; readonly isNeeded: boolean }[] = []
  #needed = ''

  /** Takes the next piece. Returns the text that is safe to pass on. */
  push(text: string): string {
    return this.#clean(this.#inert.push(text))
  }

  /** Flushes what waits. More may follow. */
  end(): string {
    return this.#clean(this.#inert.end()) + this.#settle('')
  }

  /** The place of a unit after the removal of those before it. */
  place(place: number): number {
    return place - firstPlace(this.#removed, (removed) => removed >= place)
  }

  #clean(text: string): string {
    let clean = ''
    let at = 0
    for (const { 0: run, index } of text.matchAll(unseenRun)) {
      if (index > at) clean += this.#write(text.slice(at, index))
      for (const char of run) this.#hold(char)
      at = index + run.length
    }
    return at < text.length ? clean + this.#write(text.slice(at)) : clean
  }

  #write(text: string): string {
    const before = this.#settle(text)
    this.#read += text.length
    this.#last = charBefore(text)
    return before + text
  }

  #hold(char: string): void {
    const isJoining = joining.test(char) || isGlyphChoice(char, this.#needed || this.#last)
    const isNeeded = isJoining && this.#needed.length < 2
    if (isNeeded) this.#needed += char
    this.#run.push({ char, place: this.#read, isNeeded })
    this.#read += char.length
  }

  #settle(next: string): string {
    if (this.#run.length === 0) return ''
    const isKept = notAscii.test(this.#last) || notAscii.test(next.charAt(0))
    let kept = ''
    for (const { char, place, isNeeded } of this.#run) {
      if (isNeeded && isKept) kept += char
      else for (let unit = 0; unit < char.length; unit++) this.#removed.push(place + unit)
    }
    this.#run = []
    this.#needed = ''
    return kept
  }
}

/** A whole text as `CleanText` leaves it. */
export function cleanWritten(text: string): string {
  const clean = new CleanText()
  return clean.push(text) + clean.end()
}

const notAscii = /[^\0-\x7f]/
const joining = new RegExp(`^[${joiners}]$`)
const unseenRun = /[\p{DI}\ufff9-\ufffb]+/gu

/** The last character of a text. */
function charBefore(text: string): string {
  return /[\ud800-\udbff]?[\s\S]$/.exec(text.slice(-2))?.[0] ?? ''
}

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

/** A link of Markdown; its words are the first group. */
export const linkOfMarkdown =
  /!?\[([^[\]]{0,1000})\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s+"[^"]{0,300}")?\)/g

/** Text without the syntax of Markdown and HTML, nor the space that a link's words may end with. */
export function withoutMarkup(text: string): string {
  if (!/[[\]<>*_`~\\&]/.test(text)) return oneLine(text)
  return text
    .replace(/!\[(?:[^[\]\\]|\\.){0,300}\]\([^()\s]{0,2000}(?:\s+"[^"]{0,300}")?\)/g, ' ')
    .replace(linkOfMarkdown, '$1')
    .replace(/\[([^[\]]{0,300})\]\[[^[\]]{0,100}\]|\[\^?\d{1,4}\]/g, '$1')
    .replace(/(?<!\\)<\/?[a-z][^<>]{0,2000}>/gi, ' ')
    .replace(/(?<!\*)\*+(?=[^\s*])|(?<=[^\s*])\*+|`+|~~/g, '')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_\\])_{1,3}(?![\p{L}\p{N}_])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/ ([,.])(?=\s|$)/g, '$1')
    .trim()
}

/** The place of the first item that a condition holds for, which holds for all behind it too; the length if for none. */
export function firstPlace<Item>(items: ArrayLike<Item>, holds: (item: Item) => boolean): number {
  let low = 0
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >> 1
    const item = items[middle]
    if (item !== undefined && holds(item)) high = middle
    else low = middle + 1
  }
  return low
}
