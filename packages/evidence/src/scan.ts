import { endMark, isAbbreviated, wideEndMark } from '@csp/language/sentence-ends'
import { foldedWord, isSpaceless, stemOf } from '@csp/language/words'
import { finished, type Pieces } from '@csp/lib/pieces'
import type { Figure } from './figure.ts'
import { afternoon, decade, exactly, readDigits, scaleAtStart, scaled } from './language/numbers.ts'
import { isRaised, lettersAsNumbers, numeralSigns, numeralValue, romanValue } from './language/numerals.ts'
import { articleCount, countedByArticle, isSurelyNumber, spelledNumber } from './language/spelled-numbers.ts'
import { currencyCodes } from './language/units.ts'
import { wholeFigures, withPower } from './whole-figures.ts'

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
export function scan(text: string): Scan {
  return finished(scanning(text))
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
    const behindOne = () => figure.isSpelled && figure.unit === undefined && frenchOnes.test(words.at(-1) ?? '')
    if (/^cents?$/.test(word) && !behindOne()) return false
    const isMoney = currency.test(text.slice(Math.max(0, figure.start - 2), figure.start))
    const hundreds = scaled(figure, word, isMoney)
    // Six cents are money in English, too.
    const isMoneyToo = hundreds && word === 'cents' && words.at(-1) === 'six'
    const larger = isMoneyToo ? { ...hundreds, values: [...hundreds.values, ...figure.values] } : hundreds
    const other = isAfternoon(text, start)
      ? afternoon(figure)
      : start === figure.end && (word === 's' || word === 'er')
        ? decade(figure)
        : undefined
    // "Two" may be loose, two million are not.
    const isSure = figure.isSure || (larger?.unit !== undefined && (figure.values[0]?.value ?? 0) > 1)
    if (larger ?? other) figures[figures.length - 1] = { ...figure, ...other, ...larger, end, isSure }
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
    const from = words.length
    const skipped = run.length - letters.join('').length
    for (const { value, start: first, end } of lettersAsNumbers(run.slice(skipped))) {
      const [begin, behind] = [start + skipped + first, start + skipped + end]
      const figure = {
        at: from + first,
        start: begin,
        end: behind,
        digitsEnd: behind,
        isSpelled: true,
        isSure: end - first > 1,
      }
      figures.push({ ...exactly(value), ...figure })
    }
    for (let place = 0; place < Math.max(Math.min(1, letters.length), letters.length - 1); place++) {
      const pair = letters.slice(place, place + 2).join('')
      add(pair, pair, at, at + pair.length)
      at += letters[place]?.length ?? 0
    }
  }

  let [count, pauseAt, readTo] = [0, pieceLength, 0]
  for (const match of text.matchAll(pattern)) {
    if ((++count & 127) === 0 && isOver()) break
    if (words.length + 4 * figures.length >= pauseAt) {
      yield
      pauseAt = words.length + 4 * figures.length + pieceLength
    }
    const start = match.index
    const end = start + match[0].length
    if (start < readTo) continue
    // By their places: to take an array apart costs more than to match a word.
    const word = match[3]
    const number = match[1]
    const numeral = match[2]
    if (word !== undefined) {
      const entry = knownWord(word)
      if (entry.isRun) addPairs(word, start)
      else if (!scales(entry.word, start, end)) {
        const { spelled = entry.article && countedByArticle(entry.article, text, start, end) } = entry
        if (spelled !== undefined) {
          const { isSure } = entry
          figures.push({ ...exactly(spelled), at: words.length, start, end, digitsEnd: end, isSpelled: true, isSure })
        }
        add(entry.word, entry.stem, start, end)
      }
    } else if (number !== undefined) {
      const read = readDigits(number, centuryOf(start))
      const isLate = /(?:午後|下午|오후)\s?$/.test(text.slice(Math.max(0, start - 3), start))
      const reading = isLate ? afternoon(read) : read
      const raised = withPower(reading, text, end)
      readTo = raised?.end ?? end
      const behind = { end: raised?.end ?? end, digitsEnd: raised?.end ?? end }
      figures.push({ ...reading, ...raised, ...behind, at: words.length, start, isSpelled: false, isSure: true })
      add(number, number, start, end)
    } else if (numeral !== undefined) {
      // Raised behind a letter or digit it is an exponent, or names a note.
      const value = /[\p{L}\d]/u.test(text.charAt(start - 1)) && isRaised(numeral) ? undefined : numeralValue(numeral)
      if (value === undefined) continue
      const last = figures.at(-1)
      // `2½` is one number.
      const isMixed =
        value > 0 && value < 1 && last?.at === words.length - 1 && start - last.digitsEnd <= 1 && !last.isSpelled
      if (isMixed) {
        const values = last.values.flatMap((one) => exactly(one.value + value).values)
        figures[figures.length - 1] = { ...last, values, end, digitsEnd: end }
        continue
      }
      const figure = { at: words.length, start, end, digitsEnd: end, isSpelled: value < 1, isSure: value >= 1 }
      figures.push({ ...exactly(value), ...figure })
      add(String(value), String(value), start, end)
    } else if (match[4] !== undefined) endSentence(start, end)
  }
  const isWhole = (count & 127) !== 0 || !isOver()
  const whole = yield* wholeFigures(figures, text)
  return { text, words, stems, starts, ends, sentences, figures: whole, sentenceStarts, isWhole }
}

const currency = /[$€£¥₹]\s?$/
/** Behind these, cents are hundreds and no money. */
const frenchOnes = /^(?:deux|trois|quatre|cinq|six|sept|huit|neuf)$/
const isAfternoon = (text: string, at: number) => /^p\.?\s?m\b/i.test(text.slice(at, at + 4))

/** Words, and numbers four times, that are read before yielding: about a millisecond. */
const pieceLength = 2048

const address = String.raw`\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s"[^"\n]{0,300}")?\)|https?:\/\/[^\s<>()\[\]"]{1,2000}`
const digits = String.raw`(?:[01]\d|2[0-4]|\d):[0-5]\d(?![\d:])|\d{1,40}(?:[.,'’]\d{1,40}|(?<!\d{4})\s\d{3}(?![\d\p{L}])){0,12}`
/**
 * Digits belong to a word behind a Latin letter alone: Chinese has no space before a number. Behind the code of a currency
 * they are an amount, as in `USD5.50`.
 */
const letters = String.raw`(?:${currencyCodes().join('|')})(?=\d)|[A-Za-z][A-Za-z\d\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]{0,60}|[\p{L}\p{M}〇]{1,60}`
const sentenceEnd = String.raw`${endMark}["'”’»)\]]{0,2}\s|${wideEndMark}|\n`
const pattern = new RegExp(`(?:${address})|(${digits})|(${numeralSigns})|(${letters})|(${sentenceEnd})`, 'gu')

interface KnownWord {
  readonly word: string
  readonly stem: string
  readonly spelled: number | undefined
  /** What it counts as an article. */
  readonly article: number | undefined
  readonly isSure: boolean
  /** Whether it is to be read in pairs of letters. */
  readonly isRun: boolean
}

/** What was read before: pages have most of their words in common. */
const known = new Map<string, KnownWord>()

function knownWord(text: string): KnownWord {
  const found = known.get(text)
  if (found) return found
  const word = readWord(text)
  if (known.size >= maxKnown) known.clear()
  known.set(text, word)
  return word
}

const maxKnown = 10_000

function readWord(text: string): KnownWord {
  const isRun = isSpaceless(text)
  const word = isRun ? text : foldedWord(text)
  const roman = text.length > 1 ? romanValue(text) : undefined
  const spelled = roman ?? (isRun ? undefined : spelledNumber(word))
  const isSure = roman !== undefined ? text.length > 2 : spelled !== undefined && isSurelyNumber(word, spelled)
  // A Roman numeral stays its word: it may be an abbreviation.
  const stem = spelled === undefined || roman !== undefined ? stemOf(word) : String(spelled)
  return { word, stem, spelled, article: articleCount(text), isSure, isRun }
}

/** Longer ones are tables and lists without marks. */
const maxSentence = 80
