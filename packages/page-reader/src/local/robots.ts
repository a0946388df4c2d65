import { BoundedMap } from '@csp/lib/bounded-map'
import { PageError } from '../page-error.ts'
import type { FetchReply } from './fetch-page.ts'
import { RobotsRules } from './robots-rules.ts'

export interface RobotsOptions {
  /** Gets the robots.txt of a site, at most `maxRobotsBytes` of it. */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<FetchReply>
  /** The name that sites call this reader by in their rules. */
  readonly name: string
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/**
 * Checks if sites let robots read an address (RFC 9309). The rules of a site are kept for an hour. If they cannot be
 * got because of a fault of the site, it is not read, and is asked again after a minute.
 */
export class Robots {
  readonly #options: RobotsOptions
  readonly #now: () => number
  readonly #sites = new BoundedMap<string, Site>(maxSites)
  readonly #closing = new AbortController()

  constructor(options: RobotsOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Throws `blocked-by-robots` when the rules of the site forbid the page. */
  async check(url: URL): Promise<void> {
    const rules = await this.#rulesOf(url.origin)
    if (rules instanceof PageError) throw rules
    if (!rules.allows(url)) {
      throw new PageError('blocked-by-robots', 'The robots.txt of the site does not allow reading this page.')
    }
  }

  close(): void {
    this.#closing.abort()
  }

  #rulesOf(origin: string): Promise<RobotsRules | PageError> {
    const known = this.#sites.get(origin)
    if (known && known.until > this.#now()) return known.rules
    const site: Site = { rules: this.#fetch(origin), until: this.#now() + keptMs }
    void site.rules.then((rules) => {
      if (rules instanceof PageError) site.until = this.#now() + keptAfterFaultMs
    })
    this.#sites.set(origin, site)
    return site.rules
  }

  /** Never throws; an error where the page may not be asked for, either. */
  async #fetch(origin: string): Promise<RobotsRules | PageError> {
    const none = new RobotsRules('', this.#options.name)
    try {
      const { status, body } = await this.#options.fetch(`${origin}/robots.txt`, this.#closing.signal)
      if (status >= 200 && status < 300) return new RobotsRules(new TextDecoder().decode(body), this.#options.name)
      if (status >= 500 || status === 429) return closed(`could not be read (${status})`)
      // Not 404 alone: a site that answers robots.txt with a login has no rules for robots.
      return none
    } catch (error) {
      if (!(error instanceof PageError)) return closed('could not be read')
      // A redirect to where no page may be read is no rule; the page itself is checked on its own.
      return ['invalid-url', 'not-allowed'].includes(error.code) ? none : error
    }
  }
}

function closed(why: string): PageError {
  return new PageError(
    'blocked-by-robots',
    `The robots.txt of the site ${why}, so no page of the site may be read now.`,
  )
}

interface Site {
  readonly rules: Promise<RobotsRules | PageError>
  until: number
}

const keptMs = 3_600_000
const keptAfterFaultMs = 60_000
const maxSites = 500
