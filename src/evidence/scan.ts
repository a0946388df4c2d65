import {
  afternoon,
  decade,
  exactly,
  type NumberReading,
  readDigits,
  scaleAtStart,
  scaled,
  spelledNumber,
  spelledTogether,
  together,
} from '../language/numbers.ts'
import { endMark, isAbbreviated, wideEndMark } from '../language/sentence-ends.ts'
import { foldedWord, isSpaceless, stemOf } from '../language/words.ts'
import { finished, type Pieces } from './pieces.ts'

/** A number of a text. */
export interface Figure extends NumberReading {
  /** The place of its digits among the words. */
  readonly at: number
  readonly start: number
  readonly end: number
  readonly isSpelled: boolean
}

/** A text as words, numbers and sentences. Places count in the text, unless they are among the words. */
export interface Scan {
  readonly text: string
  /** Folded words, pairs of letters in scripts without spaces, and digits, in order. */
  readonly words: readonly string[]
  readonly stems: readonly string[]
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  readonly sentences: readonly number[]
  readonly figures: readonly Figure[]
  /** Where each sentence begins. */
  readonly sentenceStarts: readonly number[]
  /** Whether the whole text was read, not only what there was time for. */
  readonly isWhole: boolean
}

/** Reads a cleaned text until it ends or the time is over. Links count as their words. */
export function scan(text: string, isOver?: () => boolean): Scan {
  return finished(scanning(text, isOver))
}

/** The same in pieces, between which others may work. */
export function* scanning(text: string, isOver: () => boolean = () => false): Pieces<Scan> {
  const words: string[] = []
  const stems: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const sentences: number[] = []
  const figures: Figure[] = []
  const sentenceStarts = [0]
  const known = new Map<string, KnownWord>()
  /** Words of this sentence. */
  let length = 0

  const endSentence = (at: number, next: number): void => {
    if (ends.at(-1) === at && isAbbreviated(text, at)) return
    if (length > 0) sentenceStarts.push(next)
    else sentenceStarts[sentenceStarts.length - 1] = next
    length = 0
  }
  const add = (word: string, stem: string, start: number, end: number): void => {
    words.push(word)
    stems.push(stem)
    starts.push(start)
    ends.push(end)
    sentences.push(sentenceStarts.length - 1)
    if (++length >= maxSentence) endSentence(end, end)
  }
  /** Whether a word right behind a number says how large that is. */
  const scales = (word: string, start: number, end: number): boolean => {
    const figure = figures.at(-1)
    if (!figure || figure.at !== words.length - 1 || start - figure.end > 1) return false
    const isMoney = currency.test(text.slice(Math.max(0, figure.start - 2), figure.start))
    const larger = scaled(figure, word, isMoney)
    const other = isAfternoon(text, start)
      ? afternoon(figure)
      : start === figure.end && (word === 's' || word === 'er')
        ? decade(figure)
        : undefined
    if (larger ?? other) figures[figures.length - 1] = { ...figure, ...other, ...larger, end }
    return larger !== undefined
  }
  /** The first digits of a year whose last ones follow, as in `2019–20`. */
  const centuryOf = (start: number): string | undefined => {
    const year = words.at(-1) ?? ''
    const isRange = ends.at(-1) === start - 1 && /^[12]\d{3}$/.test(year) && /[-–/]/.test(text.charAt(start - 1))
    return isRange ? year.slice(0, 2) : undefined
  }
  const addPairs = (run: string, start: number): void => {
    const letters = [...run.toLowerCase()]
    let at = start
    for (
      let scale = scaleAtStart(run);
      scale && scales(scale, at, at + scale.length);
      scale = scaleAtStart(run.slice(at - start))
    ) {
      letters.splice(0, [...scale].length)
      at += scale.length
    }
    for (let place = 0; place < Math.max(Math.min(1, letters.length), letters.length - 1); place++) {
      const pair = letters.slice(place, place + 2).join('')
      add(pair, pair, at, at + pair.length)
      at += letters[place]?.length ?? 0
    }
  }

  let count = 0
  for (const match of text.matchAll(pattern)) {
    if ((++count & 127) === 0 && isOver()) break
    if (count % pieceLength === 0) yield
    const start = match.index
    const end = start + match[0].length
    const [, number, word, mark] = match
    if (word !== undefined) {
      const entry = known.get(word) ?? knownWord(word)
      known.set(word, entry)
      if (entry.isRun) addPairs(word, start)
      else if (!scales(entry.word, start, end)) {
        const { spelled } = entry
        if (spelled !== undefined) figures.push({ ...exactly(spelled), at: words.length, start, end, isSpelled: true })
        add(entry.word, entry.stem, start, end)
      }
    } else if (number !== undefined) {
      const read = readDigits(number, centuryOf(start))
      const isLate = /(?:午後|下午|오후)\s?$/.test(text.slice(Math.max(0, start - 3), start))
      figures.push({ ...(isLate ? afternoon(read) : read), at: words.length, start, end, isSpelled: false })
      add(number, number, start, end)
    } else if (mark !== undefined) endSentence(start, end)
  }
  const isWhole = (count & 127) !== 0 || !isOver()
  return { text, words, stems, starts, ends, sentences, figures: wholeFigures(figures, text), sentenceStarts, isWhole }
}

const currency = /[$€£¥₹]\s?$/
const isAfternoon = (text: string, at: number) => /^p\.?\s?m\b/i.test(text.slice(at, at + 4))

const nothing = () => undefined

/** Numbers of several parts are one. */
function wholeFigures(figures: readonly Figure[], text: string): readonly Figure[] {
  const whole: Figure[] = []
  for (const figure of figures) {
    const last = whole.at(-1)
    const between = last ? text.slice(last.end, figure.start) : 'none'
    const isNext = between === '' || (between === ' ' && figure.unit !== undefined)
    const isSpelled = last?.isSpelled && figure.isSpelled && /^(?:-| | y | e | et )$/.test(between)
    const sum = last && (isSpelled ? spelledTogether : isNext && !figure.isSpelled ? together : nothing)(last, figure)
    if (last && sum) whole[whole.length - 1] = { ...figure, ...sum, start: last.start }
    else whole.push(figure)
  }
  return whole
}

/** Tokens read before yielding: about a millisecond. */
const pieceLength = 2048

const address = String.raw`\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s"[^"\n]{0,300}")?\)|https?:\/\/[^\s<>()\[\]"]{1,2000}`
const digits = String.raw`\d{1,40}(?:[.,:'’]\d{1,40}|(?<!\d{4})\s\d{3}(?![\d\p{L}])){0,12}`
/** Digits belong to a word behind a Latin letter alone: Chinese has no space before a number. */
const letters = String.raw`[A-Za-z][A-Za-z\d\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]{0,60}|[\p{L}\p{M}]{1,60}`
const sentenceEnd = String.raw`${endMark}["'”’»)\]]{0,2}\s|${wideEndMark}|\n`
const pattern = new RegExp(`(?:${address})|(${digits})|(${letters})|(${sentenceEnd})`, 'gu')

interface KnownWord {
  readonly word: string
  readonly stem: string
  readonly spelled: number | undefined
  /** Whether it is to be read in pairs of letters. */
  readonly isRun: boolean
}

function knownWord(text: string): KnownWord {
  const isRun = isSpaceless(text)
  const word = isRun ? text : foldedWord(text)
  const spelled = spelledNumber(word)
  return { word, stem: spelled === undefined ? stemOf(word) : String(spelled), spelled, isRun }
}

/** Longer ones are tables and lists without marks. */
const maxSentence = 80
