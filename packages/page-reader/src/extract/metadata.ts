import { plainLine } from '@csp/lib/text'
import { decodeHTML } from 'entities'
import { visibleAuthor } from './byline.ts'
import { webAddress } from './clean-html.ts'
import { localEnglish } from './dates/country.ts'
import { changeDate, publicationDate } from './dates/published.ts'
import { dateOf } from './dates/written.ts'
import { baseOf } from './document.ts'
import type { Metadata } from './extracted.ts'
import { structuredData } from './structured-data.ts'
import type { Document } from './tree/nodes.ts'

/**
 * Reads the metadata of a page from JSON-LD first, then from its meta elements, then from its visible text. The
 * document may hold the head alone; dates are looked for in the whole of the HTML.
 */
export function metadataOf(
  document: Document,
  html: string,
  url: string,
  base: string = baseOf(document, url),
): Metadata {
  const data = structuredData(document)
  const metas = metasOf(document)
  const meta = (...names: readonly string[]) => names.map((name) => metas.get(name)).find(Boolean)
  const address = (value: string | undefined) => (value ? webAddress(value, base) : undefined)
  const language = languageOf(
    document.documentElement?.getAttribute('lang') ?? undefined,
    meta('content-language', 'og:locale'),
    data.language,
  )
  const dated = { html, url, language: localEnglish(language, url), metas, structured: data.published }
  const published = publicationDate(dated)
  return {
    title: line(data.title ?? meta('og:title', 'citation_title', 'twitter:title') ?? titleOf(document), 500),
    description: line(meta('og:description', 'description', 'twitter:description') ?? data.description, 1000),
    author: line(
      data.author ??
        firstOf(
          authorMetas.map((name) => meta(name)),
          asName,
        ) ??
        visibleAuthor(document.body),
      200,
    ),
    siteName: line(meta('og:site_name', 'application-name') ?? data.siteName, 200),
    publishedAt: published?.date,
    publishedBy: published?.rule,
    modifiedAt:
      firstOf(
        [
          data.modified,
          meta('article:modified_time', 'og:updated_time', 'last-modified', 'dc.date.modified', 'datemodified'),
        ],
        (text) => dateOf(text, language),
      ) ?? changeDate(dated),
    language,
    image: address(meta('og:image', 'og:image:url', 'twitter:image') ?? data.image),
  }
}

/** A text of a page as one clean line. */
export function line(text: string | undefined, maxLength: number): string | undefined {
  const plain = plainLine(
    (text?.slice(0, maxLength * 4) ?? '').replace(writtenTwice, (reference) => decodeHTML(reference)),
  )
  const cut = plain.length > maxLength ? `${plain.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : plain
  return cut || undefined
}

/** What sites escape twice, or in JSON. `&lt;` and the like may be what a title is about. */
const writtenTwice = /&(?:#\d{2,6}|#x[\da-f]{2,6}|(?!lt;|gt;|nbsp;)[a-z]{2,8});/gi

/** The first of some languages that is one, as BCP 47 writes it. */
export function languageOf(...candidates: readonly (string | undefined)[]): string | undefined {
  return firstOf(candidates, (text) => {
    try {
      return Intl.getCanonicalLocales(text.slice(0, 100).split(',')[0]?.trim().replaceAll('_', '-'))[0]
    } catch {
      return undefined
    }
  })
}

function firstOf<Value>(
  candidates: readonly (string | undefined)[],
  read: (text: string) => Value | undefined,
): Value | undefined {
  for (const candidate of candidates) {
    const value = candidate ? read(candidate) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

/** By `name`, `property`, `itemprop` or `http-equiv`, in lower case; the first of each. */
function metasOf(document: Document): ReadonlyMap<string, string> {
  const metas = new Map<string, string>()
  for (const element of document.querySelectorAll('meta[content]')) {
    const content = element.getAttribute('content')?.trim()
    if (!content) continue
    for (const attribute of ['property', 'name', 'itemprop', 'http-equiv']) {
      const name = element.getAttribute(attribute)?.trim().toLowerCase()
      if (name && !metas.has(name)) metas.set(name, content)
    }
  }
  return metas
}

function titleOf(document: Document): string | undefined {
  // An SVG has titles, too.
  const title = [...document.querySelectorAll('title')].find((element) => !element.closest('svg'))
  return title?.textContent || document.querySelector('h1')?.textContent || undefined
}

const authorMetas = [
  ...['author', 'citation_author', 'dc.creator', 'dcterms.creator', 'parsely-author', 'sailthru.author', 'byl'],
  ...['article:author', 'article:author_name', 'og:author', 'twitter:creator:name', 'cxenseparse:author'],
]

/** `article:author` and its like often hold the address of a profile. */
function asName(text: string): string | undefined {
  return /^(?:https?:|\/\/|www\.|@)/i.test(text) ? undefined : text.replace(/^by\s/i, '')
}
