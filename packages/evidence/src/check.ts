import { languageOfWords } from '@csp/language/words'
import { finished, type Pieces } from '@csp/lib/pieces'
import { citedSentences, type Marker } from './cited-sentences.ts'
import { readClaim } from './claim.ts'
import { cleanedText } from './cleaned.ts'
import { type Compared, compare } from './compare.ts'
import type { CitedPage, Evidence, UnreadReason } from './evidence.ts'
import { PageIndex } from './page-index.ts'
import { scan } from './scan.ts'

/** The limits of a check. */
export interface CheckOptions {
  /**
   * For all sentences together, as a last resort; 5,000 by default. What is left then is `not-read`. What is read at all is
   * bounded by its length, so that the same pages give the same verdicts on a busy machine.
   */
  readonly budgetMs?: number | undefined
}

/** A page by the number of its source, as a text or read already; `undefined` for one that was not read. */
export type PageOf = (source: number) => CitedPage | PageIndex | undefined

/** Compares every sentence of an answer that cites something with the pages that it cites, and with no other. */
export function checkSentences(...answer: Parameters<typeof checkingSentences>): readonly Evidence[] {
  return finished(checkingSentences(...answer))
}

/** The same in pieces, between which others may work. */
export function* checkingSentences(
  { text, citations }: { readonly text: string; readonly citations: readonly Marker[] },
  pageOf: PageOf,
  options: CheckOptions = {},
): Pieces<readonly Evidence[]> {
  const sentences = yield* citedSentences(text, citations)
  if (sentences.length === 0) return []
  const checker = new Checker(pageOf, options)
  const language = languageOfWords(scan(cleanedText(text.slice(0, 20_000)).text).words)
  const evidence: Evidence[] = []
  for (const { text: sentence, start, end, sources } of sentences) {
    evidence.push({ sentence, start, end, ...checker.check(sentence, sources, language) })
    yield
  }
  return evidence
}

/** Compares claims with the pages that each of them names. */
export function checkClaims(...claims: Parameters<typeof checkingClaims>): readonly Evidence[] {
  return finished(checkingClaims(...claims))
}

/** The same in pieces, between which others may work. */
export function* checkingClaims(
  claims: readonly { readonly text: string; readonly sources: readonly number[] }[],
  pageOf: PageOf,
  options: CheckOptions = {},
): Pieces<readonly Evidence[]> {
  const checker = new Checker(pageOf, options)
  const evidence: Evidence[] = []
  for (const { text, sources } of claims) {
    yield* checker.read(sources)
    evidence.push({ sentence: text, start: 0, end: text.length, ...checker.check(text, sources, undefined) })
    yield
  }
  return evidence
}

class Checker {
  readonly #pageOf: PageOf
  readonly #pages = new Map<number, PageIndex | undefined>()
  readonly #end: number
  readonly #isOver = () => performance.now() > this.#end
  /** Words of pages that may still be compared. */
  #work = maxWork
  /** Characters of pages that may still be read. */
  #left = maxRead

  constructor(pageOf: PageOf, { budgetMs = 5000 }: CheckOptions) {
    this.#pageOf = pageOf
    this.#end = performance.now() + budgetMs
  }

  check(sentence: string, sources: readonly number[], language: string | undefined): Checked {
    finished(this.read(sources))
    const all = sources.map((source) => ({ source, page: this.#pages.get(source) }))
    const read = all.map(({ source, page }) => ({ source, page: page?.isExcerpt ? undefined : page }))
    const quoted = all.some(({ page }) => page?.isExcerpt) ? this.#compare(sentence, all, language) : undefined
    // What is not quoted of a page is unknown.
    return quoted?.verdict === 'found' ? quoted : this.#compare(sentence, read, language)
  }

  #compare(sentence: string, read: readonly ReadSource[], language: string | undefined): Checked {
    const sources = read.map(({ source }) => source)
    const unread = (reason: UnreadReason) => ({ verdict: 'not-read' as const, score: 0, sources, reason })
    if (sentence.length > maxSentence || this.#isOver()) return unread('too-long')
    const pages = read.flatMap(({ page }) => page ?? [])
    if (pages.length === 0) return unread('unreadable')
    const languageOfPage = pages.find((page) => page.language !== undefined)?.language
    const claim = readClaim(cleanedText(sentence).text, language, languageOfPage)
    if (claim.terms.length === 0) return unread('no-words')
    const rows = claim.quotations.reduce((sum, quotation) => sum + quotation.rows.length, 0)
    this.#work -= pages.reduce((sum, page) => sum + page.work(claim.terms, rows), 0)
    if (this.#work < 0) return unread('too-long')
    const { score, unnamed, missing, unseen, misquoted, isSignFound, hasSigns, doubt, ...shown } = compare(
      claim,
      pages,
      this.#isOver,
    )
    const isForeign =
      claim.language !== undefined &&
      pages.every((page) => page.language !== undefined && page.language !== claim.language)
    const said = { score: Math.round(Math.max(0, score - unnamed) * 100) / 100, sources }
    const passage = passagesFrom(read, shown)
    // What was not read may have the rest.
    const unknown = this.#whatIsUnknown(pages, sources)
    if (isForeign) {
      // A quotation is translated, a number is not.
      const numbers = missing.filter(({ kind }) => kind !== 'quotation')
      const named = numbers.length > 0 && { missing: numbers }
      const reason = 'other-language'
      if (named && unknown) return { verdict: 'not-read', ...said, reason: unknown }
      if (isSignFound) return { verdict: 'partly', ...said, ...passage, ...named, reason }
      return { verdict: named ? 'not-found' : 'not-read', ...said, ...named, reason }
    }
    const verdict = verdictOf(
      hasSigns ? Math.max(score, minPartly) : score,
      missing.length > 0 || doubt !== undefined,
      misquoted,
    )
    if (unknown && (verdict === 'not-found' || missing.length > 0)) {
      return { verdict: 'not-read', ...said, reason: unknown }
    }
    return {
      verdict,
      ...said,
      ...(verdict !== 'not-found' && passage),
      ...(missing.length > 0 && { missing }),
      ...(unseen.length > 0 && !unknown && !pages.some(({ isExcerpt }) => isExcerpt) && { unseen }),
      ...(doubt && verdict === 'partly' && { doubt }),
    }
  }

  #whatIsUnknown(pages: readonly PageIndex[], sources: readonly number[]): UnreadReason | undefined {
    if (pages.length < sources.length || pages.some(({ isPaywalled }) => isPaywalled)) return 'unreadable'
    return this.#isOver() || pages.some(({ isWhole }) => !isWhole) ? 'too-long' : undefined
  }

  /** Reads the sources that are not read yet. */
  *read(sources: readonly number[]): Pieces<void> {
    for (const source of sources) {
      if (this.#pages.has(source)) continue
      const page = this.#pageOf(source)
      this.#pages.set(source, page && !(page instanceof PageIndex) ? yield* this.#reading(page) : page)
    }
  }

  *#reading(page: CitedPage): Pieces<PageIndex> {
    const length = Math.min(this.#left, maxPageLength)
    this.#left -= Math.min(page.text.length, length)
    const index = yield* PageIndex.reading(page, length, this.#isOver)
    yield* index.readingFigures()
    return index
  }
}

type Checked = Omit<Evidence, 'sentence' | 'start' | 'end'>

/** A source and its page, if that was read. */
interface ReadSource {
  readonly source: number
  readonly page: PageIndex | undefined
}

/** The best place, and that of each page where several have one. */
function passagesFrom(
  read: readonly ReadSource[],
  { best, places }: Pick<Compared, 'best' | 'places'>,
): Pick<Evidence, 'passage' | 'passages'> {
  const passages = places.map(({ page, start, end }) => {
    const source = read.find((one) => one.page === page)?.source ?? 0
    const passage = { ...page.passage(start, end), source }
    // Nobody knows where it stands on the page.
    return page.isExcerpt ? { ...passage, place: 0 } : passage
  })
  const passage = best && passages[places.indexOf(best)]
  return { ...(passage && { passage }), ...(passages.length > 1 && { passages }) }
}

function verdictOf(score: number, isMissing: boolean, misquoted: number): 'found' | 'partly' | 'not-found' {
  if (score < minPartly || misquoted > maxMisquoted) return 'not-found'
  return score < minFound || isMissing ? 'partly' : 'found'
}

const minFound = 0.75
const minPartly = 0.5
/** A sentence that is mostly a quotation stands or falls with it. */
const maxMisquoted = 0.3
/** All in characters: of a sentence, of a page and of all pages of an answer. Ten times what most answers cite. */
const maxSentence = 5000
/** The characters of one page that are compared. Pass it to `PageIndex.reading`. */
export const maxPageLength = 200_000
const maxRead = 300_000
/** In words of pages, as often as each is compared: some 20 ms. */
const maxWork = 300_000
