import robotsParser from 'robots-parser'
import { PageError } from '../../domain/page.ts'
import type { FetchReply } from './fetch-page.ts'

export interface RobotsOptions {
  /** Gets the robots.txt of a site, at most `maxRobotsBytes` of it. */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<FetchReply>
  /** The name that sites call this reader by in their rules. */
  readonly name: string
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/** Longer files are read up to here, as RFC 9309 allows. */
export const maxRobotsBytes = 500 * 1024

/**
 * What sites let robots read (RFC 9309). The rules of a site are kept for an hour; a site whose rules cannot be got
 * because of a fault of its own is not read, and is asked again after a minute.
 */
export class Robots {
  readonly #options: RobotsOptions
  readonly #now: () => number
  readonly #sites = new Map<string, Site>()
  readonly #closing = new AbortController()

  constructor(options: RobotsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Throws `refused-by-site` when the rules of the site forbid the page. */
  async check(url: URL): Promise<void> {
    const rules = await this.#rulesOf(url.origin)
    if (rules === undefined) {
      throw new PageError(
        'refused-by-site',
        'The rules of the site (robots.txt) cannot be read because of an error there.',
      )
    }
    if (rules.isAllowed(url.href, this.#options.name) === false) {
      throw new PageError('refused-by-site', 'The site lets no robots read this page (robots.txt).')
    }
  }

  close(): void {
    this.#closing.abort()
  }

  #rulesOf(origin: string): Promise<Rules | undefined> {
    const known = this.#sites.get(origin)
    if (known && known.until > this.#now()) return known.rules
    const site: Site = { rules: this.#fetch(origin), until: this.#now() + keptMs }
    void site.rules.then((rules) => {
      if (!rules) site.until = this.#now() + keptAfterFaultMs
    })
    this.#sites.delete(origin)
    this.#sites.set(origin, site)
    const [oldest] = this.#sites.keys()
    if (this.#sites.size > maxSites && oldest !== undefined) this.#sites.delete(oldest)
    return site.rules
  }

  /** Never throws; `undefined` when the site is at fault. */
  async #fetch(origin: string): Promise<Rules | undefined> {
    const url = `${origin}/robots.txt`
    try {
      const { status, body } = await this.#options.fetch(url, this.#closing.signal)
      if (status >= 200 && status < 300) return robotsParser(url, new TextDecoder().decode(body))
      // Not 404 alone: a site that answers robots.txt with a login has no rules for robots.
      return status >= 500 || status === 429 ? undefined : robotsParser(url, '')
    } catch (error) {
      // A redirect to where no page may be read is no rule; the page itself is checked on its own.
      const isWithoutRules = error instanceof PageError && ['invalid-url', 'not-allowed'].includes(error.code)
      return isWithoutRules ? robotsParser(url, '') : undefined
    }
  }
}

type Rules = ReturnType<typeof robotsParser>

interface Site {
  readonly rules: Promise<Rules | undefined>
  until: number
}

const keptMs = 3_600_000
const keptAfterFaultMs = 60_000
const maxSites = 500
