import { dayAtHome } from './country.ts'
import { changed, dateOfMark, type Mark, marksIn, maxNear } from './marks.ts'
import { dateOf, type Language, mayShow } from './written.ts'

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
 * address, and then what it shows near its title. What it says to programs is compared with the others.
 */
export function publicationDate(page: DatedPage): FoundDate | undefined {
  const { html, url, language, metas, structured } = page
  const address = firstDated('address', [dateInAddress(url)], language)
  const inMetas = metaNames.map((name) => metas.get(name))
  const said = [firstDated('structured data', [structured], language), firstDated('meta', inMetas, language)]
  const first = said.find(Boolean) ?? firstDated('property', textsOf(page, 'property'), language)
  const found = first
    ? (differing(first, [address, ...said], page) ?? first)
    : (address ?? shownDate(page) ?? firstDated('script', [scriptDate.exec(html.slice(0, maxLooked))?.[1]], language))
  return found && { date: found.date, rule: found.rule }
}

/** The day of the last change, where a page says it in its text alone. */
export function changeDate(page: DatedPage): string | undefined {
  return changed.test(page.html) ? firstDated('modified', textsOf(page, 'modified'), page.language)?.date : undefined
}

/**
 * The day that counts where it is another one than the page says to programs: that of its address, where it is the one
 * before or after; where nothing near the title has the day that it says, the day that readers see instead; and for a
 * time in UTC that of the site's country.
 */
function differing(
  said: SaidDate,
  [address, ...others]: readonly (FoundDate | undefined)[],
  page: DatedPage,
): FoundDate | undefined {
  if (address && Math.abs(Date.parse(address.date) - Date.parse(said.date)) === dayMs) return address
  const near = shownDates(page)
  const isShown = (day: string) =>
    near.some(({ date, texts }) => date === day || texts.some((text) => mayShow(text, day)))
  if (isShown(said.date)) return undefined
  const inZone = near.find(({ date }) => isElsewhere(said.text, date))
  const [shown] = near
  // Short texts may be of anything: a meeting, another article.
  const isSure = shown?.rule === 'time element' || shown?.rule === 'named element'
  const seen = isSure && shown.distance < maxClose ? shown : undefined
  const home = utc.test(said.text) ? dayAtHome(Date.parse(said.text), page.url) : undefined
  return (
    inZone ??
    others.find((other) => other && isShown(other.date)) ??
    seen ??
    (home ? { ...said, date: home } : undefined)
  )
}

const dayMs = 86_400_000
/** In characters of HTML from the title. */
const maxClose = 3000

/** Whether a time in UTC may be of that day where the page was written: 12 hours behind to 14 ahead. */
function isElsewhere(text: string, day: string): boolean {
  if (!utc.test(text)) return false
  const start = Date.parse(day) - Date.parse(text)
  return start <= 14 * hourMs && start > -12 * hourMs - dayMs
}

const hourMs = 3_600_000
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

interface SaidDate extends FoundDate {
  readonly text: string
}

/** The first of some texts that has a date. */
function firstDated(rule: string, texts: readonly (string | undefined)[], language: Language): SaidDate | undefined {
  for (const text of texts) {
    const date = dateOf(text, language)
    if (text !== undefined && date !== undefined) return { date, rule, text }
  }
  return undefined
}

/** A day in a path, such as `/2026/05/04/`. */
function dateInAddress(url: string): string | undefined {
  const [whole] =
    /(?<=\D)(?:19[89]|20[0-4])\d(?:([/_-])[01]?\d\1[0-3]?\d(?=\1|[/?#.]|$)|[01]\d[0-3]\d(?!\d))/.exec(url) ?? []
  return whole?.replaceAll('_', '-')
}

/** The date nearest to the title. Where several short texts have one each, they are a list of other pages. */
function shownDate(page: DatedPage): FoundDate | undefined {
  const near = shownDates(page)
  const days = new Set(near.map(({ date }) => date))
  return near[0]?.rule === 'text near the title' && days.size > 2 ? undefined : near[0]
}

/** What readers see of dates near the title, the nearest first. One in bare figures is the day that another one writes out. */
function shownDates(page: DatedPage): readonly ShownDate[] {
  const dates = marksOf(page).flatMap((mark) => {
    if (mark.kind === 'modified' || mark.distance > maxNear) return []
    const date = dateOfMark(mark, page.language)
    return date === undefined ? [] : [{ date, rule: mark.kind, distance: mark.distance, texts: mark.texts }]
  })
  const isWritten = ({ date, texts }: ShownDate) =>
    texts.some((text) => text.trim().startsWith(date)) || !texts.some((text) => mayShow(text, date))
  const written = [...new Set(dates.filter(isWritten).map(({ date }) => date))]
  if (written.length === 0 || written.length > maxWritten) return dates
  return dates.map((shown) => {
    if (written.includes(shown.date)) return shown
    const date = written.find((day) => shown.texts.some((text) => mayShow(text, day)))
    return date === undefined ? shown : { ...shown, date }
  })
}

interface ShownDate extends FoundDate {
  readonly distance: number
  readonly texts: readonly string[]
}

/** A page with more days than that is a list. */
const maxWritten = 20

function textsOf(page: DatedPage, kind: Mark['kind']): readonly string[] {
  return marksOf(page).flatMap((mark) => (mark.kind === kind ? mark.texts : []))
}

/** The marks of a page, which several rules look at, are read once. */
function marksOf(page: DatedPage): readonly Mark[] {
  const marks = readMarks.get(page) ?? marksIn(page.html)
  readMarks.set(page, marks)
  return marks
}

const readMarks = new WeakMap<DatedPage, readonly Mark[]>()
