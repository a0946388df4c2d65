import { aliasesOf, isKnownName } from '@csp/language/aliases'
import { placeNames } from '@csp/language/name-signs'
import { regionNames } from '@csp/language/regions'
import { isCommon, isSpaceless, unspaced } from '@csp/language/words'
import type { SoughtClaim } from './claim.ts'
import type { PageIndex } from './page-index.ts'
import { isOneName, scriptOf } from './page-names.ts'
import { namesOfKinds, replacedNames } from './replaced-names.ts'
import type { Scan } from './scan.ts'
import { runsIn } from './unspaced-names.ts'

/** The names of a sentence that none of its pages has in any form, as the sentence has them. What is not clear is none. */
export function missingNames(claim: SoughtClaim, pages: readonly PageIndex[]): readonly string[] {
  const { scan, language } = claim
  const usual = language ?? pages.find((page) => page.language !== undefined)?.language
  if (pages.some((page) => page.language !== undefined && usual !== undefined && page.language !== usual)) return []
  const sought = new Sought(claim, pages, usual)
  const missing: { from: number; to: number }[] = []
  let asked = 0
  for (const at of scan.words.keys()) {
    if (!sought.isCandidate(at)) continue
    if (++asked > maxAsked) break
    if (!sought.isMissing(at)) continue
    const last = missing.at(-1)
    if (last && last.to === at - 1 && isOneName(scan, at)) last.to = at
    else missing.push({ from: at, to: at })
  }
  const words = [
    ...missing.map(({ from, to }) => sought.textOf(from, to)),
    ...missingRuns(scan.text, pages),
    ...replacedNames(scan, pages),
    ...namesOfKinds(scan, pages),
  ]
  const places = missingPlaces(scan.text, usual, pages)
  return [...new Set(words), ...places.filter((place) => !words.some((word) => word.includes(place)))].slice(
    0,
    maxShown,
  )
}

/** Whether a word of a sentence, by its place, is on a page in any form that a name may have. */
export function nameFinder(claim: SoughtClaim, pages: readonly PageIndex[]): (at: number) => boolean {
  const sought = new Sought(claim, pages, claim.language)
  return (at) => sought.isThere(at)
}

/** The names of one sentence. More than these are a list. */
const maxAsked = 24
const maxShown = 10

class Sought {
  readonly #claim: SoughtClaim
  readonly #scan: Scan
  readonly #pages: readonly PageIndex[]
  /** In a language whose nouns all have capital letters, or one that nobody knows, a name needs a sign. */
  readonly #isUnsure: boolean
  readonly #countries: ReadonlySet<string>
  readonly #quoted: readonly { readonly start: number; readonly end: number }[]
  readonly #isHeadline: boolean

  constructor(claim: SoughtClaim, pages: readonly PageIndex[], language: string | undefined) {
    this.#claim = claim
    this.#scan = claim.scan
    this.#pages = pages
    this.#countries = regionNames(language ?? 'en')
    this.#isUnsure = language === 'de' || (language === undefined && !unspaced.test(claim.scan.text))
    this.#quoted = [...claim.scan.text.matchAll(inMarks)].map(({ 0: whole, index }) => ({
      start: index,
      end: index + whole.length,
    }))
    const { words } = claim.scan
    const long = [...words.keys()].filter((at) => (words[at] ?? '').length > 3)
    const capitals = long.filter((at) => this.#isCapital(at))
    this.#isHeadline = long.length > 3 && language !== 'de' && capitals.length > long.length * maxCapitals
  }

  /** Whether a word looks like a name, and counts as one. */
  isCandidate(at: number): boolean {
    const { words, starts, ends, text } = this.#scan
    const word = words[at] ?? ''
    const [start, end] = [starts[at] ?? 0, ends[at] ?? 0]
    if (word.length < 2 || !this.#isCapital(at) || isSpaceless(word) || isCommon(word)) return false
    if (this.#isHeadline || noName.has(word) || /\d|^[ivxlcdm]+$/.test(word)) return false
    const isInside = (one: { readonly start: number; readonly end: number }) => start >= one.start && end <= one.end
    const { quantities, dates } = this.#claim
    if (this.#quoted.some(isInside) || quantities.some(isInside) || dates.some(isInside)) return false
    // A pair of letters of a longer word.
    if (/\p{Script=Latin}/u.test(text.charAt(end))) return false
    // `Season 20`, `US$`, `(WHO)`.
    if (/^[ -]?\d|^\$/.test(text.slice(end, end + 2))) return false
    if (text[start - 1] === '(' && text[end] === ')') return false
    return this.#runAt(at).length < maxRun
  }

  isMissing(at: number): boolean {
    const { words } = this.#scan
    const word = words[at] ?? ''
    if (this.isThere(at)) return false
    if (!this.#pages.some((page) => page.names.hasScript(scriptOf(word)))) return false
    if (this.#isOtherCountry(word)) return true
    if (this.#isUnsure) return this.#isReplaced(at) || this.#isOfAbsentRow(at)
    const before = this.#isCapital(at - 1) && isOneName(this.#scan, at) ? words[at - 1] : undefined
    const behind = this.#isCapital(at + 1) && isOneName(this.#scan, at + 1) ? words[at + 1] : undefined
    const [hasBefore, hasBehind] = [before, behind].map((one) => one !== undefined && this.#hasOnPage(one))
    // Half of a name is there: the page has to have another one beside it.
    const isOther =
      (hasBehind === true && this.#hasOther(behind, 'before')) ||
      (hasBefore === true && this.#hasOther(before, 'behind'))
    if (this.#isFirst(at)) return isOther || isKnownName(word) || this.#isWrittenAsName(at) || this.#isReplacedFirst(at)
    return hasBefore || hasBehind ? isOther : true
  }

  /** The name of a country, of which the pages have no form, where they name another one. */
  #isOtherCountry(word: string): boolean {
    if (word.length < minCountry || !this.#countries.has(word)) return false
    if (this.#pages.some(({ names }) => names.hasStart(word))) return false
    const own = new Set(this.#scan.words)
    return [...this.#countries].some(
      (other) => !own.has(other) && this.#pages.some(({ names }) => names.hasCapital(other)),
    )
  }

  /** A name as the sentence has it. Words that say nothing by themselves are a part of it where they have capital letters. */
  textOf(from: number, to: number): string {
    const { text, starts, ends } = this.#scan
    let end = to
    while (this.#isCapital(end + 1) && isOneName(this.#scan, end + 1) && isCommon(this.#scan.words[end + 1] ?? ''))
      end++
    return text.slice(starts[from], ends[end])
  }

  #isCapital(at: number): boolean {
    return /^\p{Lu}/u.test(this.#scan.text.charAt(this.#scan.starts[at] ?? -1))
  }

  /** Whether a sentence, or what stands behind a colon, begins here. */
  #isFirst(at: number): boolean {
    const { sentences, text, starts } = this.#scan
    if (at === 0 || sentences[at] !== sentences[at - 1]) return true
    return /[:;•*#>|(–—/]\s?["“„«'‘]?$/.test(text.slice(Math.max(0, (starts[at] ?? 0) - 3), starts[at]))
  }

  /** `NASA`, `GitHub`. */
  #isWrittenAsName(at: number): boolean {
    const { text, starts, ends } = this.#scan
    return /^(?:\p{Lu}{3,}|\p{Lu}\p{Ll}+\p{Lu}[\p{L}]*)$/u.test(text.slice(starts[at], ends[at]))
  }

  #isAcronym(at: number): boolean {
    const { text, starts, ends } = this.#scan
    return /^\p{Lu}{2,}$/u.test(text.slice(starts[at], ends[at]))
  }

  /** The words with capital letters that stand in a row with one. */
  #runAt(at: number): readonly number[] {
    let [from, to] = [at, at]
    while (at - from < maxRun && this.#isCapital(from - 1) && isOneName(this.#scan, from)) from--
    while (to - at < maxRun && this.#isCapital(to + 1) && isOneName(this.#scan, to + 1)) to++
    return Array.from({ length: to - from + 1 }, (_, place) => from + place)
  }

  #hasOnPage(word: string): boolean {
    return this.#pages.some((page) => page.names.has(word))
  }

  /** Whether a name is on a page in any form. */
  isThere(at: number): boolean {
    const { words } = this.#scan
    const word = words[at] ?? ''
    if (this.#hasOnPage(word)) return true
    if (this.#isAcronym(at) && this.#pages.some(({ names }) => names.hasInitials(word))) return true
    const run = this.#runAt(at)
    const initials = run.map((place) => words[place]?.charAt(0)).join('')
    if (initials.length > 1 && this.#pages.some((page) => page.names.hasWord(initials))) return true
    // With its neighbours it may be a name that is called otherwise, or written as one word.
    for (let from = Math.max(0, at - 3); from <= at; from++) {
      for (let to = at; to <= Math.min(words.length - 1, from + 3); to++) {
        const parts = words.slice(from, to + 1)
        if (aliasesOf(parts.join(' ')).some((other) => this.#pages.some(({ names }) => hasAll(names, other))))
          return true
        if (parts.length === 2 && this.#pages.some(({ names }) => names.hasWord(parts.join('')))) return true
      }
    }
    return false
  }

  /** Whether a page has another word of a name beside one that both have. */
  #hasOther(word: string | undefined, side: 'before' | 'behind'): boolean {
    const own = new Set(this.#scan.words)
    return this.#pages.some(({ names }) =>
      [...names.beside(word ?? '', side)].some((other) => !own.has(other) && !noName.has(other) && !isCommon(other)),
    )
  }

  /** Whether a page has another name between the words around it. */
  #isReplaced(at: number): boolean {
    const { words } = this.#scan
    const before = words[at - 1] ?? ''
    if (this.#isFirst(at) || !bare.test(before) || nounEnding.test(words[at] ?? '')) return false
    const own = new Set(words)
    const behind = words.slice(at + 1, at + 2)
    const left = behind.length > 0 ? [before] : words.slice(Math.max(0, at - 3), at)
    return this.#pages.some(({ names }) =>
      [...names.between(left, behind)].some((other) => !own.has(other) && !nounEnding.test(other)),
    )
  }

  /** German nouns stand beside each other in names, and behind what counts them or says who somebody is. */
  #isOfAbsentRow(at: number): boolean {
    const { words, text, starts, ends } = this.#scan
    const isAbsent = (place: number) => {
      const word = words[place] ?? ''
      return this.isCandidate(place) && !this.#isFirst(place) && !nounEnding.test(word) && !this.isThere(place)
    }
    const row = this.#runAt(at)
    const from = row.findIndex((place) => isAbsent(place) && !counting.test(words[place] ?? ''))
    const name = from < 0 ? [] : row.slice(from)
    const isApart = (place: number) => text.slice(ends[place - 1], starts[place]) === ' '
    return name.length > 1 && name.includes(at) && name.every(isAbsent) && name.slice(1).every(isApart)
  }

  /** The same of the first word: three words behind it are those of the page, which has a name before them. */
  #isReplacedFirst(at: number): boolean {
    const { words } = this.#scan
    const behind = words.slice(at + 1, at + 4)
    if (behind.length < 3) return false
    const own = new Set(words)
    return this.#pages.some(({ names }) =>
      [...names.between([], behind)].some((other) => !own.has(other) && names.isName(other)),
    )
  }
}

function hasAll(names: PageIndex['names'], words: readonly string[]): boolean {
  return words.every((word) => names.hasWord(word))
}

const minCountry = 5
/** Where more words than these have capital letters, they say nothing. */
const maxCapitals = 0.75
const maxRun = 5

/** In marks, as titles and what somebody said. */
const inMarks =
  /(?<![\p{L}\p{N}])["'][^"'\n]{1,300}["'](?!\p{L})|“[^“”]{1,300}”|‘[^‘’]{1,300}’|„[^„“”"]{1,300}[“”"]|«[^«»]{1,300}»|»[^«»]{1,300}«|「[^「」]{1,300}」|『[^『』]{1,300}』|《[^《》]{1,300}》/gu

/** Words that have capital letters beside names, or anywhere: titles, kinds of things, days and months. */
const noName: ReadonlySet<string> = new Set(
  `mr mrs ms miss dr prof professor sir lord lady dame saint st rev reverend captain general colonel major sergeant lieutenant admiral
  president vice prime minister chancellor senator congressman congresswoman representative governor mayor secretary judge
  justice king queen prince princess emperor pope bishop chief director chairman chairwoman chair ceo cfo cto coo founder
  coach captain leader former late ex jr sr phd md
  inc ltd corp corporation company co group plc gmbh ag sa llc bv nv spa holding holdings limited
  university college institute school academy museum library hospital church cathedral city town county state states province
  region district republic kingdom federal national international central royal government parliament congress senate house
  ministry department office agency commission committee council court bank association society foundation union party team
  club league cup championship world war river lake sea ocean island islands mountain mount street road avenue park bridge
  airport station north south east west northern southern eastern western new old great upper lower
  bachelor master arts degree
  act bill law treaty agreement report study table figure section chapter part volume season episode series book film
  god internet web bible quran earth sun moon
  i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december spring summer autumn fall winter christmas easter
  herr frau monsieur madame señor senor senora don dona signor signora
  prasident kanzler kanzlerin ministerprasident minister bundeskanzler bundesprasident
  celsius fahrenheit kelvin usd eur gbp chf jpy cny am pm ad bc bce ce gmt utc yoy qoq`.split(/\s+/),
)

/** Before these stands no article: a German word behind one is a name, if a page has another in its place. */
const bare =
  /^(?:in|aus|von|nach|bei|mit|fur|gegen|durch|uber|um|bis|ab|seit|zu|und|oder|ohne|vor|hinter|neben|zwischen|als|wie|dass|ist|war|hat|by|at|to|from|for|with|and|of|on|de|en|par|a|por)$/
/** Nouns that stand right before another one, or before a name. */
const counting =
  /^(?:ende|anfang|mitte|prozent|(?:tausend|hundert|million|milliarde|dutzend|billion)\w*|(?:kilo)?gramm|(?:kilo|zenti|milli|quadrat)?meter|liter|tonnen?|euro|dollar|pfund|yen|stuck|teil|art|sorte|paar|menge|gruppe|firma|stadt|fluss|insel|dorf|gemeinde|partei|verein|band|konzern|museum|grad|uhr|jahre?|[a-z]+(?:er|or|ent|ant|ist)(?:in)?)$/
const nounEnding = /(?:ung|heit|keit|schaft|tion|sion|tat|nis|tum|ling|ment|chen|lein|ismus)(?:en|e|s|es|er)?$/

/** The names of scripts without capital letters that can be told. Only where the pages have such words. */
function missingRuns(text: string, pages: readonly PageIndex[]): readonly string[] {
  const missing = new Set<string>()
  let asked = 0
  for (const found of runsIn(text)) {
    const { kind, run } = found
    if (++asked > maxAsked) break
    const isAbsent = pages.every(({ names }) =>
      kind === 'latin'
        ? (names.runs.hasKind(kind) || names.hasScript('Latin')) && !names.has(run.toLowerCase())
        : names.runs.hasKind(kind) && !names.runs.has(kind, run),
    )
    const isMissing = isAbsent && (kind !== 'katakana' || pages.some(({ names }) => names.runs.isReplaced(text, found)))
    if (isMissing && missing.size < maxShown) missing.add(run)
  }
  return [...missing]
}

/** Countries and towns without capital letters that no page has, where a page has another one beside the same letters. */
function missingPlaces(text: string, language: string | undefined, pages: readonly PageIndex[]): readonly string[] {
  if (language === undefined || /\p{Lu}\p{Ll}/u.test(text) || !caseless.test(language)) return []
  const names = placeNames(/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : language)
  const width = language === 'zh' || language === 'th' ? 2 : 3
  return [...names]
    .filter((name) => {
      const at = text.indexOf(name)
      if (at < 0 || pages.some((page) => page.names.hasLetters(name))) return false
      const end = at + name.length
      const [before, behind] = [text.slice(Math.max(0, at - width), at), text.slice(end, end + width)]
      return pages.some((page) => page.names.hasNameBeside(before, behind, names, text))
    })
    .slice(0, maxShown)
}

const caseless = /^(?:zh|ja|ko|ar|th|hi|he)$/
