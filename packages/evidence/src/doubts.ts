import { koreanOpposites, oppositesByForm } from '@csp/language/prefixes'
import { isCommon, isSpaceless, stemOf } from '@csp/language/words'
import type { Doubt } from './evidence.ts'
import { isNegating, isWithout, mayNegate, negationIn } from './language/negation.ts'
import { isReversible, type Opposite, oppositesOf, unspacedOpposites } from './language/opposites.ts'
import { areNamesReversed, numbersInOtherOrder, rolesInOtherOrder } from './order.ts'
import { otherOrdinal } from './ordinals.ts'
import { type Scan, scan } from './scan.ts'

/**
 * Why a sentence may say something else than the sentences of its pages that are most like it: a negation on one side only, a
 * word and its opposite, two names or numbers in the other order. `undefined` where one of them gives no reason.
 */
export function doubtOf(claim: string, pages: readonly string[], language: string | undefined): Doubt | undefined {
  const said = readSentence(claim, language)
  const read = pages.map((page) => readSentence(page, language))
  const found = read.map((page) => doubtAbout(said, page, language))
  const place = found.findIndex((doubt) => doubt !== undefined)
  const shared = [...said.terms].filter((term) => read[place]?.terms.has(term))
  // One that has the same words, and says nothing else, stands against it.
  const isAnswered = read.some((page, at) => !found[at] && shared.every((term) => page.terms.has(term)))
  return isAnswered ? undefined : found[place]
}

function doubtAbout(said: ReadSentence, page: ReadSentence, language: string | undefined): Doubt | undefined {
  const roles = rolesInOtherOrder(said.scan, page.scan, language)
  const opposite = oppositeIn(said, page)
  if (opposite.isReversed) return undefined
  const form = oppositeByForm(said, page, language)
  return (
    opposite.doubt ??
    form?.doubt ??
    // "Unsafe" and "not safe" are the same.
    (form ? undefined : (negationOnOneSide(page, said, 'page') ?? negationOnOneSide(said, page, 'said'))) ??
    roles ??
    numbersInOtherOrder(said.scan, page.scan) ??
    otherOrdinal(said.scan, page.scan, language)
  )
}

/** A negated part of one sentence that the other has without negation. */
function negationOnOneSide(one: ReadSentence, other: ReadSentence, side: 'said' | 'page'): Doubt | undefined {
  for (const { terms, negation, mayNegate } of one.clauses) {
    if (negation === undefined) continue
    const shared = [...terms].filter((term) => other.terms.has(term))
    if (shared.length < Math.min(2, terms.size) || shared.length < terms.size / 2 || shared.length === 0) continue
    const meant = other.clauses.filter((clause) => shared.some((term) => clause.terms.has(term)))
    if (meant.some((clause) => clause.negation !== undefined || (clause.mayNegate && !mayNegate))) continue
    return { kind: 'negation', said: '', page: '', [side]: negation }
  }
  return undefined
}

/** A word of one sentence whose opposite stands in the other among the same words. */
function oppositeIn(said: ReadSentence, page: ReadSentence): { doubt?: Doubt; isReversed?: boolean } {
  for (const clause of said.clauses) {
    for (const own of clause.opposites) {
      const context = [...clause.terms].filter((term) => term !== own.stem && !own.word.includes(term))
      // A number tells more than a word.
      const sharedBy = (one: Clause) =>
        context.reduce((sum, term) => sum + (one.terms.has(term) ? (/^\d/.test(term) ? 2 : 1) : 0), 0)
      const on = (side: number) =>
        page.clauses.filter((one) => one.opposites.some(({ pair, side: its }) => pair === own.pair && its === side))
      const [same, other] = [on(own.side), on(1 - own.side)]
      const best = Math.max(0, ...other.map(sharedBy))
      if (best < Math.min(2, context.length) || best === 0 || best < context.length * minContext) continue
      if (same.some((one) => sharedBy(one) >= best)) continue
      const clauseOfPage = other.find((one) => sharedBy(one) === best)
      // "Did not rise" and "fell" may both be so.
      if ((clauseOfPage?.negation === undefined) !== (clause.negation === undefined)) continue
      if (isReversible(own.pair) && areNamesReversed(said.scan, page.scan)) return { isReversed: true }
      const word = clauseOfPage?.opposites.find(({ pair, side }) => pair === own.pair && side !== own.side)?.word ?? ''
      return { doubt: { kind: 'opposite', said: own.word, page: word } }
    }
  }
  return {}
}

/** A word of one sentence and its opposite by form in the other one, among the same words; without a doubt if "not" makes them equal. */
function oppositeByForm(
  said: ReadSentence,
  page: ReadSentence,
  language: string | undefined,
): { readonly doubt?: Doubt } | undefined {
  for (const [one, other] of [
    [said, page],
    [page, said],
  ] as const) {
    const pairs = one.scan.words.flatMap((word) =>
      oppositesByForm(word, language).flatMap((bare) => {
        const there = other.scan.words.find((form) => areForms(form, bare))
        // Each is absent from the other sentence.
        const isBoth =
          other.scan.words.some((form) => areForms(form, word)) || one.scan.words.some((form) => areForms(form, bare))
        return there !== undefined && !isBoth ? { word, there } : []
      }),
    )
    for (const { word, there } of [...pairs, ...koreanPairs(one.scan.text, other.scan.text)]) {
      const [clause, clauseThere] = [clauseWith(one, word), clauseWith(other, there)]
      if (!clause || !clauseThere) continue
      if ((clause.negation === undefined) !== (clauseThere.negation === undefined)) return {}
      // "Unlimited" and "without limits" are, too.
      if (isWithout(clauseThere.text) && !isWithout(clause.text)) return {}
      const shared = [...clause.terms].filter((term) => clauseThere.terms.has(term)).length
      if (shared < Math.min(2, clause.terms.size - 1) || shared === 0) continue
      const [ofSaid, ofPage] = one === said ? [word, there] : [there, word]
      return { doubt: { kind: 'negation', said: ofSaid, page: ofPage } }
    }
  }
  return undefined
}

/** Whether two folded words may be forms of one: `tolerated`, `tolerant`. */
function areForms(one: string, other: string): boolean {
  if (one === other || stemOf(one) === stemOf(other)) return true
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  return same >= minSame && one.length - same <= maxEnding && other.length - same <= maxEnding
}

const minSame = 5
const maxEnding = 3

function clauseWith({ clauses }: ReadSentence, word: string): Clause | undefined {
  return clauses.find(({ terms, text }) => (isSpaceless(word) ? text.includes(word) : terms.has(stemOf(word))))
}

/** Korean words with a sign before them that the other text has without it. */
function koreanPairs(one: string, other: string): readonly { readonly word: string; readonly there: string }[] {
  return [...one.matchAll(signedKorean)].flatMap(([word, bare = '']) => {
    const isThere = (text: string) => new RegExp(`(?<![${koreanOpposites}])${bare}`, 'u').test(text)
    return isThere(other) && !isThere(one) && !other.includes(word) ? { word, there: bare } : []
  })
}

const signedKorean = new RegExp(`(?<![가-힣])[${koreanOpposites}]([가-힣]{2})`, 'gu')

/** The share of the words around a word that must stand around its opposite. */
const minContext = 0.4

/** A part of a sentence that says one thing. */
interface Clause {
  readonly text: string
  /** Its subject matter: stems, and numbers by their values. */
  readonly terms: ReadonlySet<string>
  readonly negation: string | undefined
  readonly mayNegate: boolean
  readonly opposites: readonly (Opposite & { readonly word: string; readonly stem: string | undefined })[]
}

interface ReadSentence {
  /** Without quotations. */
  readonly scan: Scan
  readonly clauses: readonly Clause[]
  readonly terms: ReadonlySet<string>
}

function readSentence(text: string, language: string | undefined): ReadSentence {
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
  return { text, terms, negation: negationIn(text, language), mayNegate: mayNegate(text), opposites }
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
