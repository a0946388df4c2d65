import { endsSentence } from '@csp/language/sentence-ends'
import { plainSnippet } from '@csp/lib/snippet'
import { normaliseUrl, pageKey } from '@csp/lib/url'
import type { SearchResult } from '../../domain/search.ts'
import { fullDate } from './dates.ts'
import { namesHostOf, numberedLine } from './numbered-line.ts'

/** What the model wrote about one page. `publishedAt` is `YYYY-MM-DD`. */
export interface Excerpt {
  readonly snippet?: string | undefined
  readonly publishedAt?: string | undefined
}

export interface Excerpts {
  /** By the result's URL, exactly as given. */
  readonly excerpts: ReadonlyMap<string, Excerpt>
  /** How many results have a snippet. */
  readonly coverage: number
  /** Prose about no single result, as the model wrote it. It may contain URLs. */
  readonly rest: string
}

/**
 * Parses the lines `3 site|date|excerpt` that the model was asked for, or with a host or a URL, in whatever format it
 * wrote them. `results` are all rows of the tool, in its order, which the numbers count. Lines about a URL that is not
 * among the results, or a number whose row is of another site, are dropped, and so are dates after the day after
 * `today`. Never throws.
 */
export function parseExcerpts(
  text: string,
  results: readonly Pick<SearchResult, 'url' | 'title'>[],
  today?: Date | undefined,
): Excerpts {
  const reader = new ExcerptReader(results)
  for (const line of text.split(/\r?\n/)) reader.add(line.slice(0, maxLineLength))
  if (!reader.found) return { excerpts: new Map(), coverage: 0, rest: text }
  return reader.finish(today)
}

const maxLineLength = 8000
const day = 24 * 60 * 60 * 1000

/** The raw fields of one result line. */
interface Entry {
  readonly url: string | undefined
  readonly title: string
  readonly fields: string[]
  /** Which following lines may still belong to it. */
  takes: 'any' | 'indented' | 'none'
}

interface Numbered {
  readonly row: Pick<SearchResult, 'url' | 'title'> | undefined
  readonly fields: string[]
}

class ExcerptReader {
  readonly #results = new Map<string, Pick<SearchResult, 'url' | 'title'>>()
  readonly #rows: readonly Pick<SearchResult, 'url' | 'title'>[]
  readonly #titles: ReadonlySet<string>
  readonly #entries: Entry[] = []
  readonly #rest: string[] = []

  constructor(results: readonly Pick<SearchResult, 'url' | 'title'>[]) {
    for (const result of results) {
      const key = pageKey(result.url)
      if (!this.#results.has(key)) this.#results.set(key, result)
    }
    this.#rows = results
    this.#titles = new Set(results.map(({ title }) => title.trim().toLowerCase()))
  }

  get found(): boolean {
    return this.#entries.length > 0
  }

  add(line: string): void {
    const last = this.#entries.at(-1)
    const content = line.replace(decoration, '').trim()
    const found = resultLine(content)
    const result = found && this.#results.get(normaliseUrl(found.url) ?? '')
    const numbered = result ? undefined : this.#numbered(line)
    // Without a scheme it is an address only if a result has it: `node.js/bun` may begin a sentence.
    if (found && (result || /^(?:https?:|www\.)/i.test(found.url))) {
      this.#entries.push({ url: result?.url, title: result?.title ?? '', fields: found.fields, takes: 'any' })
    } else if (numbered) {
      const { row, fields } = numbered
      this.#entries.push({ url: row?.url, title: row?.title ?? '', fields, takes: 'any' })
    } else if (content === '' || frame.test(line)) {
      if (last) last.takes = 'none'
      if (content === '') this.#rest.push('')
    } else if (last && continues(last, line)) {
      if (/^\s/.test(line)) last.takes = 'indented'
      last.fields.push(...fieldsOf(content))
    } else if (!this.#titles.has(bare(content).toLowerCase())) {
      if (last) last.takes = 'none'
      this.#rest.push(line)
    }
  }

  /** The row that a line numbers, if it is on the host that the line names. Of equal pages the first. */
  #numbered(line: string): Numbered | undefined {
    const read = numberedLine(line)
    if (!read) return undefined
    const row = this.#rows[read.number - 1]
    const fields = fieldsOf(read.rest)
    if (row && namesHostOf(row.url, read.name)) return { row: this.#results.get(pageKey(row.url)), fields }
    // A word behind a number may be the start of any table.
    return read.name.includes('.') || isDate(fields[0] ?? '') ? { row: undefined, fields } : undefined
  }

  finish(today: Date | undefined): Excerpts {
    const latest = today && new Date(today.getTime() + day).toISOString().slice(0, 10)
    const excerpts = new Map<string, Excerpt>()
    for (const entry of this.#entries) {
      if (entry.url === undefined) continue
      const read = excerptOf(entry, latest)
      const earlier = excerpts.get(entry.url)
      const snippet = earlier?.snippet ?? read.snippet
      const publishedAt = earlier?.publishedAt ?? read.publishedAt
      if (snippet || publishedAt) excerpts.set(entry.url, { snippet, publishedAt })
    }
    const coverage = [...excerpts.values()].filter(({ snippet }) => snippet).length
    return {
      excerpts,
      coverage,
      rest: this.#rest
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
    }
  }
}

/** Bullets, numbers, quote marks, emphasis and table bars at the start of a line. */
const decoration = /^(?:[\s>#|*+•–-]|\d{1,3}[.)]\s|\[\d{1,3}\](?!\()|\d{1,3}\s*\|)*/
/** A code fence, a table's rule or heading, or the requested format itself. */
const frame =
  /^[\s>]*(?:```|~~~)|^[\s|:-]+$|^[\s|*]*(?:#\s*\|\s*)?(?:url|number (?:host|site))\s*\**\s*\||^\W*reply format\b/i
const label =
  /^[\s*_]*(?:url|link|source|title|date|published(?: on| at)?|excerpt|snippet|summary|text)[\s*_]*:[\s*_]*/i
const barSeparator = /[|\t]/
const dashSeparator = / [-–—]+ /
const address = /^(?:<|\()?((?:https?:\/\/|www\.)[^\s<>"|]+|[\w-]+(?:\.[\w-]+)+\/[^\s<>"|]*)/i
const labelled =
  /^\[[^[\]]*\]\(\s*<?((?:https?:\/\/|www\.)[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)/i
const linkWithin = /\]\(\s*<?(?:https?:|www\.)/i
/** What models write in place of a date: placeholders, and partial, relative or impossible dates. */
const undated =
  /^(?:\?+|-|–|—|n\/?a|unknown|undated|no date|\d{4}(?:-\d{1,2})?|[a-z]{3,9} \d{4}|(?:\d+|an?) \w+ ago|today|yesterday|\d{4}[-/]\d{1,2}[-/]\d{1,2}|\d{8}|\d{1,2}\.\d{1,2}\.\d{4}|[a-z]{3,9} \d{1,2},? \d{4}|\d{1,2} [a-z]{3,9} \d{4})$/i

/** A line about one URL: it begins with the URL, or one of its first fields is a URL. */
function resultLine(content: string): { readonly url: string; readonly fields: string[] } | undefined {
  const start = urlAtStart(content)
  if (start && isProse(start.after)) return undefined
  if (start) return { url: start.url, fields: fieldsOf(start.after.replace(/^[\s*_`>]*[:,]?\s*(?:[-–—]+\s)?/, '')) }
  const bars = /[|\t]/.test(content)
  const fields = split(content, bars ? barSeparator : dashSeparator)
  const place = fields.slice(0, 3).findIndex((field) => /^\W*$/.test(urlAtStart(field)?.after ?? 'none'))
  const found = place > 0 ? urlAtStart(fields[place] ?? '') : undefined
  if (!found) return undefined
  // The text before the URL is its title.
  return { url: found.url, fields: fieldsOf(fields.slice(place + 1).join(bars ? ' | ' : ' - ')) }
}

/** Whether a sentence about several pages follows the first of them, rather than the fields of its line. */
function isProse(after: string): boolean {
  return !/^[\s*_`>]*[|\t]/.test(after) && linkWithin.test(after)
}

function urlAtStart(text: string): { readonly url: string; readonly after: string } | undefined {
  const opened = text.replace(label, '').replace(/^[\s*_`]+/, '')
  const match = labelled.exec(opened) ?? address.exec(opened)
  if (!match?.[1]) return undefined
  const whole = match[1]
  if (match[0].endsWith(')') && opened.startsWith('[')) return { url: whole, after: opened.slice(match[0].length) }
  const url = trimmedUrl(whole)
  return { url, after: opened.slice(match.index + match[0].length - (whole.length - url.length)) }
}

/** Drops trailing punctuation; a closing parenthesis stays if the URL opens one. */
function trimmedUrl(url: string): string {
  const trimmed = url.replace(/[.,;:!?\]}'"*_`]{1,20}$/, '')
  return trimmed.endsWith(')') && !trimmed.includes('(') ? trimmed.replace(/\){1,20}$/, '') : trimmed
}

/** Bars and tabs separate all fields; a dash only those before the excerpt, which may contain dashes. */
function fieldsOf(text: string): string[] {
  if (/[|\t]/.test(text)) return split(text, barSeparator)
  const [dated, inner = ''] = /^\(([^()]{1,40})\)[\s:,–—-]*/.exec(text) ?? []
  if (dated && isDate(inner)) return [inner, ...split(text.slice(dated.length), /$/)]
  const [head = '', ...others] = text.split(dashSeparator)
  return others.length > 0 && isDate(head) ? [head, others.join(' - ')] : split(text, /$/)
}

function split(text: string, between: RegExp): string[] {
  return text
    .split(between)
    .map((field) => field.trim())
    .filter(Boolean)
}

function continues({ takes, fields }: Entry, line: string): boolean {
  if (takes === 'none') return false
  return /^\s/.test(line) || (takes === 'any' && !isFinished(fields))
}

/** Whether the last field is an excerpt that ends like a sentence. */
function isFinished(fields: readonly string[]): boolean {
  const last = fields.at(-1) ?? ''
  return !isDate(last) && endsSentence(last)
}

function excerptOf({ title, fields }: Entry, latest: string | undefined): Excerpt {
  const dates = fields.map(dateOf)
  const publishedAt = dates.find((date) => date !== undefined && (latest === undefined || date <= latest))
  const words = fields.filter((field) => !isDate(field) && bare(field).toLowerCase() !== title.trim().toLowerCase())
  return { snippet: plainSnippet(words.map((field) => field.replace(label, '')).join(' ')), publishedAt }
}

function dateOf(field: string): string | undefined {
  return field.length > 60 ? undefined : fullDate(bare(field))
}

function isDate(field: string): boolean {
  return dateOf(field) !== undefined || undated.test(bare(field))
}

/** A field without its label, emphasis and brackets. */
function bare(field: string): string {
  return field
    .replace(label, '')
    .replace(/^[\s*_`([]+/, '')
    .replace(/[\s*_`)\]:,.]{1,20}$/, '')
}
