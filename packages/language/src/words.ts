/** Letters of scripts without spaces, to stand between brackets in a regular expression. */
export const spacelessLetters = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}`

/** A letter of a script that has no spaces between words. Not Korean, which has spaces. */
export const unspaced = new RegExp(`[${spacelessLetters}]`, 'u')

/** True if a word is compared by its letters: it is in such a script, or Korean, whose words change their endings. */
export function isSpaceless(word: string): boolean {
  return notAscii.test(word) && anySpaceless.test(word)
}

const notAscii = /[^\0-\x7f]/
const anySpaceless = new RegExp(String.raw`[${spacelessLetters}\p{Script=Hangul}ー]`, 'u')

/** A word as it is compared: in lower case, without accents. */
export function foldedWord(word: string): string {
  const lower = word.toLowerCase()
  if (!notAscii.test(lower)) return lower
  return lower
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßøłæœđı]/g, (letter) => plainLetters[letter] ?? letter)
}

const plainLetters: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', œ: 'oe', đ: 'd', ı: 'i' }

/**
 * The stem of a folded word: common endings are cut, and what is left has up to 7 letters. Words of up to 3 letters, and
 * those that `isSpaceless` accepts, stay whole.
 */
export function stemOf(folded: string): string {
  if (folded.length <= 3 || isSpaceless(folded)) return folded
  return folded
    .replace(ending, '')
    .replace(/ie$|(?<=...)[aeiouyаеиоуыэюяьй]$/, '')
    .slice(0, maxStem)
}

const maxStem = 7
const ending = /(?<=...)(?:ing|ed|es|s|en|er|em|n|ly|ами|ями|ого|его|ому|ему|ов|ев|ей|ий|ый|ой|ом|ем|ам|ах|ая|ое|ые)$/

/** The most frequent words of a language, folded. They tell it, and say nothing else. */
const frequent: Readonly<Record<string, string>> = {
  en: `a an and are as at be been but by can did do does for from had has have he her his how i in is it its of on or our she should so
    that the their them then there these they this to was we were what when where which while who will with would you your`,
  de: `aber als am an auch auf aus bei bis das dass dem den der des die durch ein eine einem einen einer es fur hat haben ich im in ist
    kann mit nach nicht noch nur oder seit sich sie sind sowie um und unter von vor war wird wurde wurden zu zum zur`,
  fr: `a au aux avec ce ces cette dans de des du elle en est et etait etre il ils je la le les leur mais ne nous ou par pas plus pour
    qu que qui sa se ses son sont sur un une vous`,
  es: `a al como con de del desde donde el ella en entre era es esta este fue ha han la las lo los mas no o para pero por que se ser si
    sin sobre son su sus un una y`,
  it: `a ai al alla anche che come con da dal dalla dei del della delle di e era gli i il in la le lo ma nel nella non o per piu questo
    si sono su sul sulla un una`,
  pt: `a ao aos as com como da das de do dos e em entre era esta foi mais mas na nas no nos o os ou para pela pelo por que se seu sua
    sao um uma`,
  nl: `aan als bij dat de deze die dit door een en er het hij in is maar met naar niet nog of om ook op te tot uit van voor was werd
    wordt zijn`,
  sv: `att av den det de efter en ett fran for har hon i inte med men och om pa sig som till under var vid ar`,
  pl: `a ale by byl byla dla do i jak jest jego jako na nie o od oraz po przez przy sa sie tak to w we z za ze`,
  tr: `bir bu da daha de gibi icin ile kadar olan olarak sonra tarafindan ve veya`,
  ru: `был была были в во для до его ее и из или как к на не но о об он она они от по при с со так что это`,
  uk: `або але був була в до для з за і її його на не під по про та у це що як`,
}

const languages = Object.entries(frequent).map(([language, words]) => ({
  language,
  words: new Set(words.split(/\s+/)),
}))
const common: ReadonlySet<string> = new Set(languages.flatMap(({ words }) => [...words]))

/** Whether a folded word says nothing by itself, in any of the languages that are known. */
export function isCommon(folded: string): boolean {
  return common.has(folded) || (folded.length === 1 && !isSpaceless(folded))
}

/**
 * The language (ISO 639-1) of folded words, or `undefined` if it is not clear. It is the language whose frequent words
 * occur clearly more often than those of any other; some scripts decide it as well. Chinese and Japanese both give `zh`.
 * Reads up to 1,500 words.
 */
export function languageOfWords(words: Iterable<string>): string | undefined {
  const counts = new Map<string, number>()
  const add = (name: string, weight = 1) => counts.set(name, (counts.get(name) ?? 0) + weight)
  let all = 0
  for (const word of words) {
    if (++all > maxCounted) break
    const script = notAscii.test(word) ? scripts.find(([, pattern]) => pattern.test(word))?.[0] : undefined
    // A pair of letters is less than a word.
    if (script !== undefined) add(script, 0.4)
    if (common.has(word)) for (const { language, words: own } of languages) if (own.has(word)) add(language)
  }
  const [first, second] = [...counts].toSorted(([, a], [, b]) => b - a)
  if (!first || first[1] < 2 || first[1] < all * minShare) return undefined
  return first[1] >= (second?.[1] ?? 0) * 1.4 ? first[0] : undefined
}

const maxCounted = 1500
const minShare = 0.08
const scripts: readonly (readonly [string, RegExp])[] = [
  // A short Japanese sentence may have hardly a kana.
  ['zh', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['ko', /\p{Script=Hangul}/u],
  ['th', /\p{Script=Thai}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['el', /\p{Script=Greek}/u],
  ['he', /\p{Script=Hebrew}/u],
  ['hi', /\p{Script=Devanagari}/u],
  ['ru', /\p{Script=Cyrillic}/u],
]
