import { type CaselessLanguage, isNameByLetters, isNameOfKind, kindBehind, mayBeName } from '@csp/language/name-signs'
import { isSpaceless } from '@csp/language/words'
import type { PageIndex } from './page-index.ts'
import type { Scan } from './scan.ts'

/**
 * Names in Chinese, Japanese and Korean that no page has, where a page has another one between the same letters. Both have to be
 * names by their letters, or the page's by its link, heading or quotation: a verb is replaced as often as a name.
 */
export function replacedNames(scan: Scan, pages: readonly PageIndex[]): readonly string[] {
  const missing: string[] = []
  let asked = 0
  for (const { from, to } of absentRuns(scan, pages)) {
    if (++asked > maxAsked) break
    const { text } = scan
    const language = languageOf(text)
    const letters = text.slice(from, to)
    const behind = text.slice(to, to + maxBehind)
    const isSure = isNameByLetters(letters, behind, language)
    if (!isSure && !mayBeName(letters, language)) continue
    const isReplaced = pages.some(({ names }) =>
      names.runs.between(before(text, from), text.slice(to, to + width)).some((other) => {
        if (text.includes(other) || other.includes(letters)) return false
        if (isNameByLetters(other, behind, language)) return true
        return isSure && (names.runs.isMarked(other) || mayBeName(other, language))
      }),
    )
    if (isReplaced) missing.push(letters + kindBehind(letters, behind, language))
  }
  return missing
}

/** Arabic names behind a word that says of what, where a page has another one behind it and beside the same word. */
export function namesOfKinds({ words, text, starts, ends }: Scan, pages: readonly PageIndex[]): readonly string[] {
  const missing: string[] = []
  let asked = 0
  for (const [at, word] of words.entries()) {
    const [beforeKind = '', kind = '', behind = ''] = [words[at - 2], words[at - 1], words[at + 1]]
    if (!isNameOfKind(kind, word) || pages.some(({ names }) => hasArabic(names, word))) continue
    if (++asked > maxAsked) break
    const isReplaced = pages.some(({ names }) =>
      [...names.between([beforeKind, kind], [], true), ...names.between([kind], [behind], true)].some(
        (other) => isNameOfKind(kind, other) && !words.includes(other),
      ),
    )
    if (isReplaced) missing.push(text.slice(starts[at], ends[at]))
  }
  return missing
}

/** Whether a page has a word with or without what is joined to it: the article, "and", "in", an ending. */
function hasArabic(names: PageIndex['names'], word: string): boolean {
  const core = word.replace(/^(?:[وف]?[بلك]?ال|لل)(?=.{3})/, '')
  return names.hasWord(word) || names.hasLetters(core.length > 4 ? core.slice(0, -1) : core)
}

interface Place {
  readonly from: number
  readonly to: number
}

/** Rows of letters of which no page has two beside each other. */
function* absentRuns(scan: Scan, pages: readonly PageIndex[]): Generator<Place> {
  const { text, words, starts, ends } = scan
  const isAbsent = (at: number) => {
    const word = words[at] ?? ''
    return isSpaceless(word) && pages.every(({ names }) => !names.hasWord(word))
  }
  for (let at = 0; at < words.length; at++) {
    if (!isAbsent(at)) continue
    let last = at
    while (isAbsent(last + 1) && gap.test(text.slice(ends[last], starts[last + 1]))) last++
    // Two letters have one of those around them.
    const isBound = (ends[at - 1] ?? 0) > (starts[at] ?? 0)
    const isBoundBehind = (starts[last + 1] ?? text.length) < (ends[last] ?? 0)
    const from = (starts[at] ?? 0) + (isBound ? 1 : 0)
    const to = (ends[last] ?? 0) - (isBoundBehind ? 1 : 0)
    at = last
    if (to - from >= minLetters && to - from <= maxLetters && onlyLetters.test(text.slice(from, to))) yield { from, to }
  }
}

/** The letters before a place; none where a sentence begins. */
function before(text: string, at: number): string {
  const letters = text.slice(Math.max(0, at - width), at)
  return /[。！？\n]\s*$/.test(letters) || at < width ? '' : letters
}

function languageOf(text: string): CaselessLanguage {
  if (/\p{Script=Hangul}/u.test(text)) return 'ko'
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : 'zh'
}

const gap = /^[·・]?$/
const onlyLetters = /^[\p{L}\p{M}ー·・]+$/u
/** Of the letters around a name. */
const width = 2
const maxBehind = 6
const minLetters = 2
const maxLetters = 14
const maxAsked = 24
