import { hostOfEntry, mayVisit } from '@csp/lib/domain-lists'

/** A page as a search of the sandbox finds it. */
export interface FoundPage {
  readonly title: string
  readonly url: string
  readonly excerpt: string
  /** `YYYY-MM-DD`; absent for a page of unknown age. */
  readonly publishedAt?: string | undefined
}

export interface PageSearch {
  readonly query: string
  readonly count: number
  readonly now: Date
  /** Excerpts are at least this long; as long as they come without it. */
  readonly excerptLength?: number | undefined
  /** The addresses of the pages, in turn, whatever hosts are allowed or blocked. Absent: on hosts that do not exist. */
  readonly sites?: readonly string[] | undefined
  /** Host names; each includes its subdomains. */
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
}

/**
 * Invents pages about a query: equal queries at the same time give equal pages. All hosts are names reserved for examples,
 * so an allowed domain that is not reserved has no pages.
 */
export function pagesAbout(search: PageSearch): readonly FoundPage[] {
  const topic = topicOf(search.query)
  const seed = hash(search.query.trim())
  const { sites = [], allowedDomains = [], blockedDomains = [] } = search
  const hosts = sites.length > 0 ? sites : siteHosts(allowedDomains, blockedDomains).map((host) => `https://${host}`)
  if (hosts.length === 0) return []
  return Array.from({ length: search.count }, (_, index) => {
    const place = seed + index
    const slug = `${slugOf(topic)}-${seed.toString(36)}${index < hosts.length ? '' : `-${index}`}`
    return {
      title: pick(titles, index)(topic),
      url: `${hosts[place % hosts.length]}${sitePath(place, slug)}`,
      excerpt: excerptOf(topic, place, search.excerptLength),
      publishedAt: dateBefore(search.now, agesInDays[place % agesInDays.length]),
    }
  })
}

type Phrases = readonly [(topic: string) => string, ...((topic: string) => string)[]]

/** Chosen by position, so that even a short list has titles with an HTML entity and with brackets. */
const titles: Phrases = [
  (topic) => `Sandbox: ${topic}`,
  (topic) => `Sandbox guide to ${topic} &amp; related matters`,
  (topic) => `${topic} [Sandbox edition]`,
  (topic) => `Sandbox notes: what is known about ${topic}`,
  (topic) => `Sandbox Weekly | ${topic}`,
  (topic) => `${topic} (encyclopedia of the Sandbox)`,
  (topic) => `Sandbox forum — questions on ${topic}`,
  (topic) => `Sandbox: a short history of ${topic}`,
]

const excerpts: Phrases = [
  (topic) => `The sandbox invented this page about ${topic}; nothing on it is true.`,
  (topic) => `An invented overview of ${topic}, with 3 parts and no facts.`,
  (topic) => `Readers of the sandbox ask about ${topic} more often than about anything else.`,
  (topic) => `This made-up report follows ${topic} over the years, "as it were".`,
  (topic) => `Five invented experts disagree about ${topic}.`,
]

function excerptOf(topic: string, place: number, length = 0): string {
  const sentences = [pick(excerpts, place)(topic)]
  while (sentences.join(' ').length < length) sentences.push(pick(excerpts, place + sentences.length)(topic))
  return sentences.join(' ')
}

/** At least one for each range of a freshness filter. */
const agesInDays: readonly (number | undefined)[] = [0, 2, 5, 20, undefined, 90, 300, 1000]

const dayMs = 86_400_000

function dateBefore(now: Date, days: number | undefined): string | undefined {
  return days === undefined ? undefined : new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10)
}

/** Uses the first line only: csp writes its preferences for pages on the lines below. */
function topicOf(query: string): string {
  const [firstLine = ''] = query.trim().split('\n')
  const words = firstLine.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 6).join(' ').slice(0, 80) || 'nothing in particular'
}

function slugOf(topic: string): string {
  const letters = topic.normalize('NFKD').toLowerCase()
  return letters.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'topic'
}

/** FNV-1a, limited to 31 bits so that an index can be added. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value >>> 1
}

function pick(phrases: Phrases, index: number): (topic: string) => string {
  return phrases[index % phrases.length] ?? phrases[0]
}

/** The hosts of a search's pages: the sandbox's own, or the allowed ones that are reserved for examples. */
function siteHosts(allowed: readonly string[], blocked: readonly string[]): readonly string[] {
  const hosts = allowed.length > 0 ? new Set(allowed.map(hostOfEntry).filter(isReserved)) : ownHosts
  return [...hosts].filter((host) => mayVisit(new URL(`https://${host}`), { blocked }))
}

/** The path of the n-th page. Some have a query string, one has parentheses. */
function sitePath(place: number, slug: string): string {
  return paths[place % paths.length]?.(slug) ?? `/${slug}`
}

const ownHosts = [
  'www.example.org',
  'news.example',
  'docs.example.com',
  'encyclopedia.example',
  'example.net',
  'forum.example',
  'blog.example.org',
  'archive.example',
  'example.com',
  'journal.example.net',
]

const paths: readonly ((slug: string) => string)[] = [
  (slug) => `/${slug}`,
  (slug) => `/articles/${slug}.html`,
  (slug) => `/search/view?id=${slug}&ref=sandbox`,
  (slug) => `/wiki/${slug}_(sandbox)`,
  (slug) => `/2024/05/${slug}/`,
  (slug) => `/questions/4711/${slug}`,
  (slug) => `/read?page=${slug}`,
]

function isReserved(host: string): boolean {
  return /^([a-z0-9-]+\.)+example$|^([a-z0-9-]+\.)*example\.(com|net|org)$/.test(host)
}
