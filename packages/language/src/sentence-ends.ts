/** The marks that end a sentence if a space follows, in the notation of a regular expression. */
export const endMark = '[.!?…؟۔।]'
/** The marks that end one in Chinese and Japanese, whatever follows. */
export const wideEndMark = '[。！？]'

/** Whether the point at a place of a text belongs to the word before it: `Dr.`, `U.S.`, `5. Mai`. */
export function isAbbreviated(text: string, point: number): boolean {
  return text[point] === '.' && abbreviation.test(text.slice(Math.max(0, point - longest), point))
}

/** Of an abbreviation, with what stands before it. */
const longest = 8
/** Of all languages, as they are written: `Art.` ends no sentence, `art.` does. A small letter behind the point ends none anyway. */
const abbreviation =
  /(?:^|[\s(.])(?:\p{L}|\d{1,2}|[Dd]r|[Mm]rs?|[Mm]s|[Ss]t|[Nn]o|Nr|vs|[Ff]ig|approx|ca|bzw|etc|Jr|Sr|Prof|Inc|Ltd|Co|Gen|Sen|Rep|Gov|Col|Lt|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Okt|Nov|Dec|Dez|Mio|Mrd|Art|Vol|pp|Abb|Bd|inkl|vgl|zzgl)$/u

/**
 * Offsets (UTF-16) after each sentence of an answer. A line break ends a sentence too. The last offset is the length of
 * the text.
 */
export function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = []
  for (const { 0: mark, index } of text.matchAll(sentenceEnd)) {
    if (!isAbbreviated(text, index)) ends.push(index + mark.length)
  }
  return [...ends, text.length]
}

/** Whether a text ends as a sentence does. */
export function endsSentence(text: string): boolean {
  return lastMark.test(text.slice(-maxTail))
}

/** A mark with what closes behind it. */
const maxTail = 8
const lastMark = /[.!?…؟۔।。！？]["'”’»」』）)\]*_]*$/

const sentenceEnd = new RegExp(
  String.raw`${endMark}["'”’»)\]*_]{0,3}(?=\s+[^\s\p{Ll}])|${wideEndMark}[」』”’）]?|\n`,
  'gu',
)
