import { foldedWord, languageOfWords } from './words.ts'

/** What an answer says behind the name of a site that is none of its sources, by language. */
const notes = {
  en: 'not among the sources',
  de: 'nicht unter den Quellen',
  fr: 'absent des sources',
  es: 'no está entre las fuentes',
  it: 'non è tra le fonti',
  pt: 'não está entre as fontes',
  nl: 'niet bij de bronnen',
  pl: 'nie ma wśród źródeł',
  ru: 'нет среди источников',
  uk: 'немає серед джерел',
  zh: '不在来源之中',
  ja: '出典にありません',
  ko: '출처에 없음',
} as const

/** The note in the language of a text, in parentheses; in English where that is not certain. */
export function sourceNote(text: string): string {
  const words =
    text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{2}|(?<![\p{L}.-])\p{L}+(?!\.?\p{L})/gu) ?? []
  // Not the parts of the names of sites: `com` is a word of Portuguese.
  const language = languageOfWords(words.map(foldedWord)) ?? ''
  const known = language === 'zh' && /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'ja' : language
  return `(${isKnown(known) ? notes[known] : notes.en})`
}

function isKnown(language: string): language is keyof typeof notes {
  return language in notes
}

/** Every such note, with the space before it. */
export const sourceNotes = new RegExp(` ?\\((?:${Object.values(notes).join('|')})\\)`, 'g')
