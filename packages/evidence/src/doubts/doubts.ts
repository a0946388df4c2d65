import type { Doubt } from '../evidence.ts'
import { isReversible } from '../language/opposites.ts'
import { type Clause, type ReadSentence, readSentence } from './clauses.ts'
import { numbersInOtherOrder } from './number-order.ts'
import { areNamesReversed, rolesInOtherOrder } from './order.ts'

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
  return (
    opposite.doubt ??
    negationOnOneSide(page, said, 'page') ??
    negationOnOneSide(said, page, 'said') ??
    roles ??
    numbersInOtherOrder(said.scan, page.scan)
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

/** The share of the words around a word that must stand around its opposite. */
const minContext = 0.4
