import { decodeHTML } from 'entities'
import { dateIn, dateOf, type Language } from './written.ts'

/** A date of a page, and the rule that found it. */
export interface FoundDate {
  readonly date: string
  readonly rule: string
}

/** What is known of a page where its date is looked for. */
export interface DatedPage {
  /** As it came, and where its body begins. */
  readonly html: string
  readonly url: string
  readonly language: Language
  /** What its structured data says. */
  readonly structured: string | undefined
  readonly metas: ReadonlyMap<string, string>
}

/**
 * The day on which a page was published, by the first rule that finds one: what the page says to programs, then its
 * address, and then what it shows near its title.
 */
export function publicationDate(page: DatedPage): FoundDate | undefined {
  const { html, url, language, metas, structured } = page
  const marks = () => marksOf(page)
  const rules: readonly (readonly [rule: string, find: () => string | undefined])[] = [
    ['structured data', () => firstDated([structured], language)],
    [
      'meta',
      () =>
        firstDated(
          metaNames.map((name) => metas.get(name)),
          language,
        ),
    ],
    ['property', () => markedDate(marks(), 'property', language)],
    ['time element', () => markedDate(marks(), 'time', language)],
    ['address', () => dateInAddress(url)],
    ['script', () => firstDated([scriptDate.exec(html.slice(0, maxLooked))?.[1]], language)],
    ['named element', () => markedDate(marks(), 'named', language)],
    ['text near the title', () => dateNearTitle(html, language)],
  ]
  for (const [rule, find] of rules) {
    const text = find()
    const date = dateOf(text, language)
    if (text === undefined || date === undefined) continue
    const isForPrograms = rule === 'structured data' || rule === 'meta' || rule === 'property'
    return (isForPrograms ? shownDay(date, text, page) : undefined) ?? { date, rule }
  }
  return undefined
}

/** The day of the last change, where a page says it in its text alone. */
export function changeDate(page: DatedPage): string | undefined {
  const { html, language } = page
  if (!changed.test(html)) return undefined
  return dateOf(markedDate(marksOf(page), 'modified', language), language)
}

/**
 * The day that readers see where it is the one before or after a date: a time in UTC is often of another day than where
 * the page was written, and an address tells the day in any case.
 */
function shownDay(date: string, text: string, page: DatedPage): FoundDate | undefined {
  const inAddress = dateInAddress(page.url)
  const near = () => dateOf(markedDate(marksOf(page).filter(isNear), 'named', page.language), page.language)
  const shown = dateOf(inAddress) ?? (utc.test(text) ? near() : undefined)
  if (shown === undefined || Math.abs(Date.parse(shown) - Date.parse(date)) !== dayMs) return undefined
  return { date: shown, rule: inAddress ? 'address' : 'named element' }
}

const isNear = ({ distance }: Mark): boolean => distance < 5000
const dayMs = 86_400_000
const utc = /\d(?:\.\d+)?\s?(?:Z|[+-]00:?00|GMT|UTC)$/

const metaNames =
  `article:published_time article:published article:post_date article:published_date og:article:published_time
  og:published_time og:pubdate og:publish_date citation_publication_date citation_date dc.date.issued dcterms.issued dc.date
  dcterms.date dc.date.created dcterms.created dc.created parsely-pub-date sailthru.date pubdate publishdate publish-date
  publish_date published_date published-date publication_date publisheddate published_time date_published datepublished
  date_created datecreated originalpublicationdate article.published article.created article_date_original
  cxenseparse:recs:publishtime bt:pubdate rbpubdate video:release_date ptime pdate displaydate gentime doc_date created
  date timestamp`.split(/\s+/)

const maxLooked = 1_000_000
const scriptDate =
  /"(?:datePublished|publishedAt|published_at|publishDate|publish_date|publishedDate|published_date|publicationDate|dateCreated|pubDate|uploadDate)\\?"\s?:\s?\\?"([^"\\]{8,40})/i

/** The first of some texts that has a date. */
function firstDated(texts: readonly (string | undefined)[], language: Language): string | undefined {
  return texts.find((text) => dateOf(text, language) !== undefined)
}

/** A day in a path, such as `/2026/05/04/`. */
function dateInAddress(url: string): string | undefined {
  const [whole] =
    /(?<=\D)(?:19[89]|20[0-4])\d(?:([/_-])[01]?\d\1[0-3]?\d(?=\1|[/?#.]|$)|[01]\d[0-3]\d(?!\d))/.exec(url) ?? []
  return whole?.replaceAll('_', '-')
}

/** An element that may have the date of the page. */
interface Mark {
  readonly kind: 'property' | 'modified' | 'time' | 'named'
  /** What it gives to programs, if anything; then what readers see. */
  readonly texts: readonly string[]
  /** From the title, in characters of HTML; what stands above it is further away. */
  readonly distance: number
}

function markedDate(marks: readonly Mark[], kind: Mark['kind'], language: Language): string | undefined {
  const own = marks.filter((mark) => mark.kind === kind).toSorted((a, b) => a.distance - b.distance)
  return firstDated(
    own.flatMap(({ texts }) => texts),
    language,
  )
}

/** The marks of a page, which several rules look at, are read once. */
function marksOf(page: DatedPage): readonly Mark[] {
  const marks = readMarks.get(page) ?? marksIn(page.html)
  readMarks.set(page, marks)
  return marks
}

const readMarks = new WeakMap<DatedPage, readonly Mark[]>()

function marksIn(html: string): readonly Mark[] {
  const bodyAt = Math.max(0, html.search(/<body[\s>]|<\/head\s*>/i))
  const body = html.slice(bodyAt, bodyAt + maxLooked)
  const headingAt = body.search(/<h1[\s>]/i)
  const titleAt = headingAt >= 0 ? headingAt : body.search(/<(?:article|main)[\s>]/i)
  const marks: Mark[] = []
  for (const match of body.matchAll(/<([a-z][a-z\d-]{0,20})(\s[^<>]{1,1000})>/gi)) {
    const [tag, name = '', attributes = ''] = match
    if (!dateWord.test(attributes) && name.toLowerCase() !== 'time') continue
    const kind = kindOf(name.toLowerCase(), attributes)
    if (!kind || marks.length >= maxMarks) continue
    const given = [...attributes.matchAll(/\s(?:datetime|content|data-[a-z-]{1,30}|title)\s?=\s?["']?([^"'>]{6,60})/gi)]
    const shown = body.slice(match.index + tag.length, match.index + tag.length + 400)
    marks.push({
      kind,
      texts: [...given.map(([, value = '']) => decodeHTML(value)), startOf(shown)],
      distance: match.index < titleAt ? (titleAt - match.index) * 4 : match.index - titleAt,
    })
  }
  return marks
}

const maxMarks = 200
const dateWord = /date|time|publi|post|created|byline|meta|info|fecha|datum|data|author|calendar|clock/i

function kindOf(name: string, attributes: string): Mark['kind'] | undefined {
  if (
    /(?:itemprop|property)\s?=\s?["']?[a-z:]{0,10}(?:datePublished|dateCreated|uploadDate|dc:date|dc:created)\b/i.test(
      attributes,
    )
  ) {
    return 'property'
  }
  if (changed.test(attributes)) return 'modified'
  if (notPublished.test(attributes)) return undefined
  if (name === 'time') return 'time'
  const names = /\s(?:class|id|itemprop)\s?=\s?["']([^"'<>]{1,300})/i.exec(attributes)?.[1] ?? ''
  return named.test(names) ? 'named' : undefined
}

const changed = /(?:itemprop|property)\s?=\s?["']?[a-z:]{0,10}dateModified\b/i
const notPublished = /modif|updat|comment|copyright|event|widget|sidebar|related|birth|expire/i
const named = /date|datum|(?:^|[\s_-])time|publish|posted|byline|submitted|fecha|pubdate|meta/i

/** The words that an element begins with. */
function startOf(html: string): string {
  return html
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/&nbsp;|\s+/g, ' ')
    .slice(0, 80)
}

/** The first short text behind the title that has a date: one within a sentence is what the page is about. */
function dateNearTitle(html: string, language: Language): string | undefined {
  const titleAt = html.search(/<h1[\s>]/i)
  if (titleAt < 0) return undefined
  const texts = html
    .slice(titleAt, titleAt + maxNearTitle)
    .replace(/<script\b[^<]{0,6000}<\/script>/gi, '')
    .split(/<[^<>]{0,1000}>/)
  return texts
    .filter((text) => text.length < maxShortText && /\d/.test(text))
    .map((text) => dateIn(text, language)?.date)
    .find(Boolean)
}

const maxNearTitle = 8000
const maxShortText = 100
