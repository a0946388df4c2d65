import { isCommon } from '@csp/language/words'
import { isNegating, mayNegate, negationIn } from '../language/negation.ts'
import { type Opposite, oppositesOf, unspacedOpposites } from '../language/opposites.ts'
import { type Scan, scan } from '../scan.ts'

/** A part of a sentence that says one thing. */
export interface Clause {
  /** Its subject matter: stems, and numbers by their values. */
  readonly terms: ReadonlySet<string>
  readonly negation: string | undefined
  readonly mayNegate: boolean
  readonly opposites: readonly (Opposite & { readonly word: string; readonly stem: string | undefined })[]
}

export interface ReadSentence {
  /** Without quotations. */
  readonly scan: Scan
  readonly clauses: readonly Clause[]
  readonly terms: ReadonlySet<string>
}

export function readSentence(text: string, language: string | undefined): ReadSentence {
  const whole = scan(text.replace(quoted, (part) => (quotedName.test(part) ? part : ' ')))
  const clauses = partsOf(text).map((part) => readClause(part, language))
  return { scan: whole, clauses, terms: new Set(clauses.flatMap(({ terms }) => [...terms])) }
}

function readClause(text: string, language: string | undefined): Clause {
  const found = scan(text)
  const opposites: Clause['opposites'][number][] = []
  const terms = new Set<string>()
  for (const [at, word] of found.words.entries()) {
    const stem = found.stems[at] ?? ''
    for (const opposite of oppositesOf(word)) opposites.push({ ...opposite, word, stem })
    if (!isCommon(word) && !isNegating(word)) terms.add(stem)
  }
  for (const [word, sides] of unspacedOpposites) {
    if (text.includes(word)) for (const opposite of sides) opposites.push({ ...opposite, word, stem: undefined })
  }
  for (const { values } of found.figures) terms.add(String(values[0]?.value))
  return { terms, negation: negationIn(text, language), mayNegate: mayNegate(text), opposites }
}

function partsOf(text: string): readonly string[] {
  return text.split(between).filter((part) => /[\p{L}\p{N}]/u.test(part))
}

/** What somebody said, and titles: no part of who does what. */
const quoted =
  /"[^"]{1,300}"|“[^“”]{1,300}”|„[^„“”"]{1,300}[“”"]|«[^«»]{1,300}»|»[^«»]{1,300}«|「[^「」]{1,300}」|『[^『』]{1,300}』/g
/** The name of a company or a ship in Russian. */
const quotedName = /^«\p{Script=Cyrillic}[^\s«»]{0,30}(?: [^\s«»]{1,30}){0,2}»$/u
const between =
  /[;:，；：、。！？()（）«»„“”"،؛]|,(?!\d)|\.(?=\s)|\s[-–—]\s|—|(?<!\p{L})(?:and|but|while|whereas|although|und|aber|sondern|während|et|tandis|y|pero|mientras|e|mas|enquanto|и|а|но)(?!\p{L})/iu
