import { decodeHTML } from 'entities'
import { dateIn, dateOf, type Language } from './written.ts'

/** A place of a page that may have its date. */
export interface Mark {
  readonly kind: 'property' | 'modified' | 'time element' | 'named element' | 'text near the title'
  /** What it gives to programs, if anything; then what readers see. */
  readonly texts: readonly string[]
  /** From the title, in characters of HTML; what stands above it is further away. */
  readonly distance: number
}

/**
 * The elements that may have the date of a page, and short texts behind its title; the nearest first. Of what readers
 * see, only what is near a title.
 */
export function marksIn(html: string): readonly Mark[] {
  const bodyAt = Math.max(0, html.search(/<body[\s>]|<\/head\s*>/i))
  const body = html.slice(bodyAt, bodyAt + maxLooked)
  const titles = titlesIn(body, html.slice(0, bodyAt))
  const marks = [...elementsIn(body, titles), ...titles.flatMap((title) => textsBehind(body, title))]
  return marks.toSorted((a, b) => a.distance - b.distance)
}

const maxLooked = 1_000_000

/** The first date of what a mark gives and shows. */
export function dateOfMark({ kind, texts }: Mark, language: Language): string | undefined {
  for (const text of texts) {
    if (!dateLike.test(text)) continue
    const date = kind === 'text near the title' ? dateIn(text, language)?.date : dateOf(text, language)
    if (date !== undefined) return date
  }
  return undefined
}

/** Most texts have neither a year nor two points, and are not worth a closer look. */
const dateLike = /\p{Nd}{4}|\d\.\d{1,2}\.\d/u

function elementsIn(body: string, titles: readonly number[]): readonly Mark[] {
  const marks: Mark[] = []
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of body.matchAll(element)) {
    const isTime = name.toLowerCase() === 'time'
    if (!isTime && !dateWord.test(attributes)) continue
    const forPrograms = kindForPrograms(attributes)
    const distance = distanceOf(index, titles)
    const kind = forPrograms ?? (distance > maxNear ? undefined : shownKind(isTime, attributes))
    if (!kind) continue
    const end = index + tag.length
    const shown = withoutTags(body.slice(end, end + 400)).slice(0, 80)
    if (!forPrograms && isOfElse(withoutTags(body.slice(Math.max(0, index - 200), index)), shown)) continue
    const given = [...attributes.matchAll(givenDate)].map(([, value = '']) => decodeHTML(value))
    marks.push({ kind, texts: [...given, shown], distance })
    if (marks.length === maxMarks) break
  }
  return marks
}

/** What stands above a title is further away. */
function distanceOf(index: number, titles: readonly number[]): number {
  let distance = Number.POSITIVE_INFINITY
  for (const title of titles) distance = Math.min(distance, index < title ? (title - index) * 4 : index - title)
  return distance
}

/** What readers see counts up to here, in characters of HTML from the title. */
export const maxNear = 5000

const element = /<([a-z][a-z\d-]{0,20})(\s[^<>]{1,1000})>/gi
const maxMarks = 200
const givenDate = /\s(?:datetime|content|data-[a-z-]{1,30}|title)\s?=\s?["']?([^"'>]{6,60})/gi

function kindForPrograms(attributes: string): 'property' | 'modified' | undefined {
  if (published.test(attributes)) return 'property'
  return changed.test(attributes) ? 'modified' : undefined
}

function shownKind(isTime: boolean, attributes: string): Mark['kind'] | undefined {
  if (notPublished.test(attributes)) return undefined
  if (isTime) return 'time element'
  const names = /\s(?:class|id|itemprop)\s?=\s?["']([^"'<>]{1,300})/i.exec(attributes)?.[1] ?? ''
  return named.test(names) ? 'named element' : undefined
}

const dateWord = /date|time|publi|post|created|byline|meta|info|fecha|datum|data|author|calendar|clock/i
const published =
  /(?:itemprop|property)\s?=\s?["']?[a-z:]{0,10}(?:datePublished|dateCreated|uploadDate|dc:date|dc:created)\b/i
/** What an element with the day of the last change has. */
export const changed = /(?:itemprop|property)\s?=\s?["']?[a-z:]{0,10}dateModified\b/i
const notPublished = /modif|updat|comment|copyright|event|widget|sidebar|related|birth|expire/i
const named = /date|datum|(?:^|[\s_-])time|publish|posted|byline|submitted|fecha|pubdate|meta/i

/** Whether a date is that of a change, a member or a clock, by the words right before it. */
function isOfElse(before: string, text: string): boolean {
  return somethingElse.test(`${before.trim().slice(-30)} ${text.split(/\p{Nd}/u, 1)[0]}`)
}

const somethingElse = new RegExp(
  [
    'updated|modified|changed|revised|edited|joined|registered|member since|current time|due|expires',
    'aktualisiert|geändert|stand:|registriert|dabei seit|mitglied seit|aktuelle zeit|mis à jour|modifié|inscrit',
    'actualizad|atualizad|modificad|aggiornat|bijgewerkt|gewijzigd|uppdaterad|opdateret|обновл|изменен|更新|güncelle',
  ].join('|'),
  'i',
)

/** Where the headings with the title of the page are, since the first one may be the site's name; else the first one. */
function titlesIn(body: string, head: string): readonly number[] {
  const title = lettersOf(decodeHTML(/<title(?:\s[^<>]{0,300})?>([^<]{1,500})/i.exec(head)?.[1] ?? ''))
  const headings = [...body.matchAll(/<h([1-3])(?:\s[^<>]{0,1000})?>/gi).take(maxHeadings)]
  const titles = headings.filter(({ 0: tag, index }) => {
    const start = index + tag.length
    const [inside = ''] = body.slice(start, start + 500).split(/<\/h[1-3]/i, 1)
    const words = lettersOf(decodeHTML(withoutTags(inside)))
    return words.length >= minTitle && title.includes(words)
  })
  if (titles.length > 0) return titles.slice(0, maxTitles).map(({ index }) => index)
  const first = headings.find(([, level]) => level === '1')?.index
  return [first ?? body.search(/<(?:article|main)[\s>]/i)]
}

const maxHeadings = 100
/** Further ones are in lists of what else there is. */
const maxTitles = 3
/** In letters: a shorter heading may be any word of the title. */
const minTitle = 12

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
}

/** The short texts behind a title: one within a sentence is what the page is about. */
function textsBehind(body: string, title: number): readonly Mark[] {
  if (title < 0) return []
  const marks: Mark[] = []
  const near = body.slice(title, title + maxNear).replace(/<script\b[^<]{0,6000}<\/script>/gi, '')
  let [place, before, tag] = [0, '', '']
  for (const piece of near.split(/(<[^<>]{0,1000}>)/)) {
    place += piece.length
    if (piece.startsWith('<')) tag = piece
    if (piece.startsWith('<') || piece.trim() === '') continue
    const isShort = piece.length < maxShortText && dateLike.test(piece) && !notPublished.test(tag)
    if (isShort && !isOfElse(before, piece))
      marks.push({ kind: 'text near the title', texts: [piece], distance: place })
    before = piece.slice(-60)
  }
  return marks
}

const maxShortText = 100

function withoutTags(html: string): string {
  return html.replace(/<[^<>]{0,500}>/g, ' ').replace(/&nbsp;|\s+/g, ' ')
}
