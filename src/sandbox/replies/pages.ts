import { siteHosts, sitePath } from './sites.ts'

/** An invented page. */
export interface Page {
  readonly title: string
  readonly url: string
  readonly excerpt: string
  /** `YYYY-MM-DD`; absent for a page whose age nobody knows. */
  readonly publishedAt?: string | undefined
}

export interface PageSearch {
  readonly query: string
  readonly count: number
  readonly now: Date
  /** Host names; a name holds for its subdomains too. */
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
}

/**
 * Invents pages about a query: the same for an equal query and clock, others for another. Every host is a name that is
 * reserved for examples, so an allowed domain that is not reserved has no pages.
 */
export function pagesAbout(search: PageSearch): readonly Page[] {
  const topic = topicOf(search.query)
  const seed = hash(search.query.trim())
  const hosts = siteHosts(search.allowedDomains ?? [], search.blockedDomains ?? [])
  if (hosts.length === 0) return []
  return Array.from({ length: search.count }, (_, index) => {
    const place = seed + index
    const slug = `${slugOf(topic)}-${seed.toString(36)}${index < hosts.length ? '' : `-${index}`}`
    return {
      title: pick(titles, index)(topic),
      url: `https://${hosts[place % hosts.length]}${sitePath(place, slug)}`,
      excerpt: pick(excerpts, place)(topic),
      publishedAt: dateBefore(search.now, agesInDays[place % agesInDays.length]),
    }
  })
}

type Phrases = readonly [(topic: string) => string, ...((topic: string) => string)[]]

/** By position, so that a short list too has the entity and the brackets that real titles have. */
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

/** Some of every age that a freshness filter knows. */
const agesInDays: readonly (number | undefined)[] = [0, 2, 5, 20, undefined, 90, 300, 1000]

const dayMs = 86_400_000

function dateBefore(now: Date, days: number | undefined): string | undefined {
  return days === undefined ? undefined : new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10)
}

/** From the first line only: below it csp says which pages it prefers. */
function topicOf(query: string): string {
  const [firstLine = ''] = query.trim().split('\n')
  const words = firstLine.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 6).join(' ').slice(0, 80) || 'nothing in particular'
}

function slugOf(topic: string): string {
  const letters = topic.normalize('NFKD').toLowerCase()
  return letters.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'topic'
}

/** FNV-1a, kept to 31 bits so that an index can be added. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193)
  return value >>> 1
}

function pick(phrases: Phrases, index: number): (topic: string) => string {
  return phrases[index % phrases.length] ?? phrases[0]
}
