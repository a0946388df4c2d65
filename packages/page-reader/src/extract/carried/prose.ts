import { decodeHTML, escapeUTF8 } from 'entities'
import { countWords } from '../blocks/blocks.ts'

/** Gathers the strings of data that people would read: the longest, in their order. */
export class Prose {
  /** By their first words: data often has a text twice, and once cut short. */
  readonly #texts = new Map<string, Text>()
  #left = maxValues

  /** Looks at all strings of a value, in order. */
  addAll(value: unknown): void {
    const left: unknown[] = [value]
    while (left.length > 0 && this.#left-- > 0) {
      const next = left.pop()
      if (typeof next === 'string') this.add(next)
      else if (Array.isArray(next)) left.push(...next.slice(0, maxItems).toReversed())
      else if (typeof next === 'object' && next !== null) left.push(...contentOf(next))
    }
  }

  add(text: string): void {
    if (text.length < minLength || text.length > maxLength || /^(?:https?:|data:|[{[])/.test(text)) return
    const isHtml = tags.test(text)
    const plain = (isHtml ? text.replace(/<[^<>]{0,2000}>/g, ' ') : text).trim()
    const words = countWords(plain)
    if (words < minWords || !isLanguage(plain)) return
    const key = plain.slice(0, 60)
    const known = this.#texts.get(key)
    if (!known || known.words < words) this.#texts.set(key, { text, isHtml, words })
  }

  get html(): string | undefined {
    const all = [...this.#texts.values()]
    const chosen = new Set<Text>()
    let [characters, words] = [0, 0]
    for (const each of all.toSorted((a, b) => b.words - a.words)) {
      if (characters + each.text.length > maxCharacters) break
      chosen.add(each)
      characters += each.text.length
      words += each.words
    }
    return words < minAll
      ? undefined
      : all
          .filter((each) => chosen.has(each))
          .map(htmlOf)
          .join('\n')
  }
}

interface Text {
  readonly text: string
  readonly isHtml: boolean
  readonly words: number
}

/** The values of an object, the first last; not those of texts of an interface, of settings and of styles. */
function contentOf(object: object): readonly unknown[] {
  return Object.entries(object)
    .slice(0, maxItems)
    .filter(
      ([name, value]) =>
        !(notContent.test(name) || (typeof value === 'object' && dictionary.test(name) && !Array.isArray(value))),
    )
    .map(([, value]) => value)
    .toReversed()
}

const notContent =
  /^(?:class(?:name)?|styles?|css|svg|href|src(?:set)?|sizes|query|scripts?|headers|(?:runtime|app|site|build)?config|env|_?_?(?:next)?i18n\w*|translations?|locales?|dictionar(?:y|ies)|cookie\w*|consent\w*|gdpr\w*|seo\w*|meta\w*|og\w*|errors?)$/i
const dictionary = /^(?:messages|labels|strings|resources|texts|copy)$/i

const tags = /<(?:p|div|br|h[1-6]|ul|ol|li|strong|em|b|i|a|blockquote|figure|table|section|article|span)[\s>/]/i

/** Letters and spaces for the most part, as no code, style or key has. */
function isLanguage(text: string): boolean {
  const sample = text.slice(0, 2000)
  const letters = sample.match(/[\p{L}\p{M}]/gu)?.length ?? 0
  const signs = sample.match(/[{}<>\\;=_|]/g)?.length ?? 0
  return letters > sample.length * 0.6 && signs < sample.length * 0.02
}

/** Lines that stand apart are paragraphs. What is HTML in it is cleaned with the page that it becomes. */
function htmlOf({ text, isHtml }: Text): string {
  if (isHtml) return `<div>${text}</div>`
  return text
    .split(/\n\s*\n/)
    .map((part) => `<p>${escapeUTF8(decodeHTML(part.trim())).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}

const maxValues = 300_000
const maxItems = 20_000
const minLength = 30
const maxLength = 500_000
const minWords = 8
/** In words: less is a slogan. */
const minAll = 40
const maxCharacters = 200_000
