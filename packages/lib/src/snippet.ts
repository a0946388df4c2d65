import { decodeHTML } from 'entities'
import { plainText } from './text.ts'
import { parseUrl } from './url.ts'

/** A page's title as one line of plain text; its host where it has none. Titles come with entities and line breaks. */
export function cleanTitle(title: string, url: string): string {
  return plainText(decodeHTML(title)).replace(/\s+/g, ' ').trim() || (parseUrl(url)?.hostname ?? '')
}

/** Plain text of an API's excerpt, which may contain entities and tags; `undefined` when it is empty. */
export function cleanSnippet(html: string): string | undefined {
  return plainSnippet(decodeHTML(html))
}

/** Plain text of an excerpt: no Markdown, tags, URLs or enclosing quotes; at most 500 characters, cut at a word. */
export function plainSnippet(text: string): string | undefined {
  // URLs go last, since removing something else can join two halves of one. Each leaves a space.
  // What nobody sees goes first, for the same reason.
  const plain = plainText(text.slice(0, maxRawLength))
    .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/`+|\*+(?=[^\s*])|(?<=[^\s*])\*+/g, '')
    .replace(/(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu, '')
    .replace(/(?:(?:https?|ftp):\/\/|www\.)[^\s<>"|)\]]*/gi, ' ')
    .replace(/[(<[]\s*[)>\]]/g, ' ')
    .replace(/\s*\|\s*/g, ' ')
    .replace(/\s+/g, ' ')
  const snippet = shortened(unquoted(plain.trim()))
  return /[\p{L}\p{N}]/u.test(snippet) && !placeholder.test(snippet) ? snippet : undefined
}

const maxRawLength = 4000
const maxSnippetLength = 500
const placeholder = /^(?:n\/?a|none|unknown|excerpt|no (?:excerpt|snippet|description|summary)(?: available)?)\.?$/i
const quotes = ['""', "''", '“”', '„“', '«»', '‘’'] as const

function unquoted(text: string): string {
  const pair = quotes.find(
    (marks) => text.length > 1 && text.startsWith(marks.charAt(0)) && text.endsWith(marks.charAt(1)),
  )
  return pair ? text.slice(1, -1).trim() : text
}

function shortened(text: string): string {
  if (text.length <= maxSnippetLength) return text
  const cut = text.lastIndexOf(' ', maxSnippetLength - 1)
  const kept = text.slice(0, cut > maxSnippetLength / 2 ? cut : maxSnippetLength - 1)
  return `${kept.replace(/[\ud800-\udbff]$|[\s,;:–—-]$/, '')}…`
}
