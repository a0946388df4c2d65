import { raced, withTimeout } from '@csp/lib/abort'
import { Semaphore } from '@csp/lib/semaphore'
import type { Network } from '../local/network.ts'
import { checkPageUrl, type OpenedHosts } from '../local/page-url.ts'
import { PageError } from '../page-error.ts'
import { openCheckedProxy } from './checked-proxy.ts'
import { BrowserError, browserVersion, DevTools } from './devtools.ts'
import { openContext, type ShownPage, shownIn, type TabRequest } from './tab.ts'

export type { ShownPage, TabRequest } from './tab.ts'

/** The address of the browser, the hosts that it may open, and its time for one page. */
export interface PageBrowserOptions extends Network {
  /** The address of its DevTools protocol: `http://127.0.0.1:9222`. */
  readonly address: string
  readonly opened: OpenedHosts
  readonly userAgent: string
  /** For one page, from its place on; 12 s by default. */
  readonly timeoutMs?: number | undefined
}

/** Shows pages in a browser of the operator that runs already, each in a context of its own that ends with it. */
export class PageBrowser {
  readonly #options: PageBrowserOptions
  readonly #places = new Semaphore(maxTabs)

  constructor(options: PageBrowserOptions) {
    this.#options = options
  }

  /** The page as its scripts leave it. Throws a `PageError`, or the signal's reason. */
  async show(request: TabRequest, signal: AbortSignal, caller?: string): Promise<ShownPage> {
    const leave = await this.#places.take(signal, caller)
    if (typeof leave !== 'function') throw signal.reason
    const { timeoutMs = usualTimeoutMs } = this.#options
    const inTime = AbortSignal.timeout(timeoutMs)
    try {
      return await this.#show(request, AbortSignal.any([signal, inTime]))
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (error instanceof PageError) throw error
      if (inTime.aborted) throw unshown(`the browser has not shown it after ${timeoutMs / 1000} s`, error)
      throw unshown(error instanceof BrowserError ? error.message : 'the browser failed', error)
    } finally {
      leave()
    }
  }

  async #show(request: TabRequest, signal: AbortSignal): Promise<ShownPage> {
    const { address, opened, userAgent } = this.#options
    const version = await browserVersion(address, signal)
    // What is opened is for pages that are opened themselves: a stranger's script has no business there.
    const reachable = checkPageUrl(request.url, opened).isOpened ? opened : new Map()
    const proxy = await openCheckedProxy({ ...this.#options, opened: reachable, maxBytes })
    const devTools = new DevTools(version.socket)
    let context: string | undefined
    try {
      await raced(devTools.ready, signal)
      context = await raced(openContext(devTools, proxy.port), signal)
      const about = { opened: reachable, userAgent: `${version.userAgent} ${userAgent}` }
      return await raced(shownIn(devTools, context, request, about), signal)
    } finally {
      const disposed = devTools.call('Target.disposeBrowserContext', { browserContextId: context }).catch(() => {})
      await withTimeout(disposed, closingMs)
      devTools.close()
      proxy.close()
    }
  }
}

function unshown(why: string, cause: unknown): PageError {
  return new PageError('needs-scripts', `The page has no text without its scripts, and ${why}.`, { cause })
}

const usualTimeoutMs = 12_000
const maxTabs = 3
const closingMs = 1000
/** The most that one page loads. */
const maxBytes = 30_000_000
