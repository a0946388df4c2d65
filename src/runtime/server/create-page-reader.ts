import { PageBrowser } from '@csp/page-reader/browser/page-browser'
import { Extractor } from '@csp/page-reader/extract/pool'
import { type FoundPages, onlyFound } from '@csp/page-reader/layers/allowed'
import { HostPace } from '@csp/page-reader/layers/host-pace'
import { createPageStack } from '@csp/page-reader/layers/stack'
import { KeptBodies } from '@csp/page-reader/local/kept-bodies'
import { createLocalReader } from '@csp/page-reader/local/local'
import { openedHosts } from '@csp/page-reader/local/page-url'
import { type ServedPages, withServed } from '@csp/page-reader/local/served'
import { PageError } from '@csp/page-reader/page-error'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { PageTally } from '../../executor/layers/metering/page-tally.ts'
import { files } from '../../storage/files.ts'
import { openStore } from '../../storage/store.ts'
import type { Config } from '../config/settings.ts'
import { version } from '../version.ts'
import { openPageReader } from './open-page-reader.ts'
import { type RememberedOptions, remembered } from './remembered-pages.ts'

/** Reads pages of the web. */
export interface CreatedPageReader {
  /** For callers: as far as the setting `pages` lets them read. */
  readonly forCallers: PageReader
  /** For csp's own searches, which read only what they have found. */
  readonly forSearches: PageReader
  /** Starts what the first page would wait for. */
  warm(): void
  close(): Promise<void>
}

/**
 * What reads pages, with its cache, queue and limits as configured. Pages are kept in the folder of the answer cache.
 * `served`: pages of csp's own, which only the sandbox has.
 */
export function createPageReader(
  config: Config,
  found: FoundPages,
  cacheFolder: string,
  tally: PageTally,
  memory?: RememberedOptions,
  served?: ServedPages,
): CreatedPageReader {
  const pace = createHostPace()
  const extractor = new Extractor({ openReader: openPageReader })
  const bodies = new KeptBodies(config.cacheTtl)
  const address = config.pagesBrowser
  const network = { ...networkOf(config), userAgent }
  const local = createLocalReader({
    ...network,
    browser: address ? new PageBrowser({ ...network, address }) : undefined,
    honoursRobots: config.pagesRobots === 'on',
    onRedirect: (url, signal, caller) => pace.start(url, signal, caller),
    extractor,
    bodies,
    onFetched: (caller) => tally.add(caller),
  })
  const storage = openStore(files({ directory: cacheFolder }))
  const forSearches = createPageStack(served ? withServed(local, extractor, served) : local, {
    scope: config.cacheScope,
    cache: { storage, ttlSeconds: config.cacheTtl },
    memory: memory && remembered(memory),
    queue: { pace, isAtHand: (request, context) => bodies.has(request, context) },
  })
  return {
    forSearches,
    forCallers: namingSettings(config.pages === 'search' ? onlyFound(forSearches, found) : forSearches),
    warm: () => extractor.warm(),
    async close() {
      await forSearches.close()
      await tally.close()
      await storage.close()
    },
  }
}

/** Adds to a refusal the setting behind it. */
function namingSettings(reader: PageReader): PageReader {
  return {
    read: (request, context) =>
      reader.read(request, context).catch((error: unknown) => {
        if (!(error instanceof PageError) || !error.remedy) throw error
        const message = `${error.message.replace(/\.$/, '')} (${settingFor[error.remedy]}).`
        throw new PageError(error.code, message, { cause: error.cause })
      }),
    close: () => reader.close(),
  }
}

const settingFor = { 'open-host': '--pages-allow', 'search-first': '--pages search' }

/** Where csp may send requests that a caller names. */
export function networkOf({ pagesAllow, pagesBrowser, port, allowedHosts }: Config) {
  const ports = [port, ...(pagesBrowser ? [Number(new URL(pagesBrowser).port) || 80] : [])]
  return { opened: openedHosts(pagesAllow), own: { ports, hosts: allowedHosts } }
}

/** A list often has several pages of one site, which come together; then two a second. */
export function createHostPace(): HostPace {
  return new HostPace({ perSecond: 2, burst: 4 })
}

/** Sites see who asks, and by which name their robots.txt may refuse it. */
const userAgent = `csp/${version} (reads single pages for its user; to opt out: robots.txt, User-agent: csp)`
