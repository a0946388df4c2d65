import { deferred } from '@csp/lib/deferred'
import { z } from 'zod'
import { checkPageUrl, type OpenedHosts } from '../local/page-url.ts'
import { PageError } from '../page-error.ts'
import { BrowserError, type DevTools, type DevToolsEvent } from './devtools.ts'

export interface TabRequest {
  readonly url: string
  readonly language?: string | undefined
  /** Asked before each page that the tab itself goes to. Throws when it may not. */
  readonly allow: (url: URL) => Promise<void>
}

/** A page as its scripts have left it. */
export interface ShownPage {
  readonly url: string
  readonly html: string
}

interface TabOptions {
  readonly opened: OpenedHosts
  readonly userAgent: string
}

/** Opens a context whose only way to the network is a proxy on loopback. It ends with the connection at the latest. */
export async function openContext(devTools: DevTools, proxyPort: number): Promise<string> {
  const context = await devTools.call('Target.createBrowserContext', {
    disposeOnDetach: true,
    proxyServer: `socks5://127.0.0.1:${proxyPort}`,
    // Not even loopback goes past the proxy.
    proxyBypassList: '<-loopback>',
  })
  return contextSchema.parse(context).browserContextId
}

/** Opens a page in a new tab, waits until it is quiet, and takes its HTML. */
export async function shownIn(
  devTools: DevTools,
  browserContextId: string,
  request: TabRequest,
  options: TabOptions,
): Promise<ShownPage> {
  await devTools.call('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId })
  await devTools.call('Browser.grantPermissions', { permissions: [], browserContextId })
  const { targetId } = targetSchema.parse(
    await devTools.call('Target.createTarget', { url: 'about:blank', browserContextId }),
  )
  const { sessionId } = sessionSchema.parse(await devTools.call('Target.attachToTarget', { targetId, flatten: true }))
  return new Tab(devTools, { sessionId, targetId, browserContextId }, request, options).show()
}

interface TabIds {
  readonly sessionId: string
  /** Its main frame has the same. */
  readonly targetId: string
  readonly browserContextId: string
}

class Tab {
  readonly #devTools: DevTools
  readonly #ids: TabIds
  readonly #request: TabRequest
  readonly #options: TabOptions
  readonly #quiet = deferred<void>()
  /** The status of the page that the tab shows; 0 while it is on its way. */
  #status = 0
  #isSecure = false

  constructor(devTools: DevTools, ids: TabIds, request: TabRequest, options: TabOptions) {
    this.#devTools = devTools
    this.#ids = ids
    this.#request = request
    this.#options = options
    this.#quiet.promise.catch(() => {})
    devTools.onEnd = this.#quiet.reject
    devTools.onEvent = (event) => void this.#on(event).catch(this.#quiet.reject)
  }

  async show(): Promise<ShownPage> {
    const { url, language } = this.#request
    await this.#devTools.call('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] })
    await this.#call('Network.enable')
    await this.#call('Network.setBypassServiceWorker', { bypass: true })
    await this.#call('Network.setUserAgentOverride', {
      userAgent: this.#options.userAgent,
      ...(language !== undefined && { acceptLanguage: language.slice(0, 200) }),
    })
    await this.#call('Page.enable')
    await this.#call('Page.setLifecycleEventsEnabled', { enabled: true })
    await this.#call('Page.addScriptToEvaluateOnNewDocument', { source: withoutOtherWays })
    await this.#call('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
    void this.#call('Page.navigate', { url }).catch(this.#quiet.reject)
    const late = setTimeout(this.#quiet.resolve, maxQuietMs)
    try {
      await this.#quiet.promise
    } finally {
      clearTimeout(late)
    }
    if (this.#status >= 400) throw new BrowserError(`the site refuses to show it to the browser (${this.#status})`)
    return this.#content()
  }

  #call(method: string, params: object = {}): Promise<unknown> {
    return this.#devTools.call(method, params, this.#ids.sessionId)
  }

  async #on({ method, params, sessionId }: DevToolsEvent): Promise<void> {
    if (method === 'Target.targetCreated') return this.#closeIfOpenedByPage(params)
    if (sessionId !== this.#ids.sessionId) return
    if (method === 'Fetch.requestPaused') return this.#decide(pausedSchema.parse(params))
    if (method === 'Page.javascriptDialogOpening') await this.#call('Page.handleJavaScriptDialog', { accept: true })
    if (method === 'Inspector.targetCrashed') throw new BrowserError('its tab has crashed')
    const { name, frameId, type, response } = eventSchema.safeParse(params).data ?? {}
    if (frameId !== this.#ids.targetId) return
    if (method === 'Network.responseReceived' && type === 'Document') this.#status = response?.status ?? 0
    if (method === 'Page.lifecycleEvent' && name === 'networkIdle' && this.#status > 0) this.#quiet.resolve()
  }

  #closeIfOpenedByPage(params: unknown): void {
    const { targetInfo } = createdSchema.parse(params)
    const isAnother = targetInfo.targetId !== this.#ids.targetId
    if (!isAnother || targetInfo.browserContextId !== this.#ids.browserContextId) return
    this.#devTools.call('Target.closeTarget', { targetId: targetInfo.targetId }).catch(ignored)
  }

  /** The proxy decides whether an address may be reached; this, what is worth loading and where the tab may go. */
  async #decide({ requestId, request, resourceType, frameId }: z.infer<typeof pausedSchema>): Promise<void> {
    const isPage = resourceType === 'Document'
    if (unneeded.has(resourceType) || (isPage && frameId !== this.#ids.targetId)) return this.#refuse(requestId)
    try {
      const { url } = checkPageUrl(request.url, this.#options.opened)
      if (isPage) await this.#leadTo(url)
    } catch (error) {
      this.#refuse(requestId)
      if (isPage) throw error
      return
    }
    this.#call('Fetch.continueRequest', { requestId }).catch(ignored)
  }

  async #leadTo(url: URL): Promise<void> {
    this.#status = 0
    if (this.#isSecure && url.protocol === 'http:') {
      throw new PageError('unreachable', 'The page leads from https to http, which is not followed.')
    }
    this.#isSecure = url.protocol === 'https:'
    await this.#request.allow(url)
  }

  #refuse(requestId: string): void {
    this.#call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(ignored)
  }

  async #content(): Promise<ShownPage> {
    // In a world of its own, where the page has changed nothing.
    const world = await this.#call('Page.createIsolatedWorld', { frameId: this.#ids.targetId })
    const { executionContextId } = worldSchema.parse(world)
    const evaluated = await this.#call('Runtime.evaluate', {
      contextId: executionContextId,
      returnByValue: true,
      expression: `(${takeHtml})(${maxHtmlLength})`,
    })
    const { url, html } = contentSchema.parse(evaluated).result.value
    if (html === '')
      throw new PageError('too-large', `The page is longer than ${maxHtmlLength / 1e6} MB in the browser.`)
    return { url: checkPageUrl(url, this.#options.opened).url.href, html }
  }
}

/** What a page may take until it is quiet; one that never is, is taken as it is then. */
const maxQuietMs = 8000
const maxHtmlLength = 2_000_000

const unneeded: ReadonlySet<string> = new Set(['Image', 'Font', 'Media', 'Ping', 'TextTrack', 'Prefetch', 'Manifest'])

/**
 * Before any script of a page: no sockets that go past proxies, no windows. A sandboxed frame may have a process of its
 * own, which this does not reach: there the flag that docs/pages.md gives to the browser counts.
 */
const withoutOtherWays = `
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name]
  globalThis.open = () => null`

/** Runs in the page. Scripts have done their work, and what stands for them is not content. */
const takeHtml = `(max) => {
  for (const each of document.querySelectorAll('script:not([type="application/ld+json"]),style,noscript,svg')) each.remove()
  const html = document.documentElement.outerHTML
  return { url: location.href, html: html.length > max ? '' : html }
}`

/** A request, or a window, that is gone meanwhile. */
function ignored(): void {}

const contextSchema = z.object({ browserContextId: z.string() })
const targetSchema = z.object({ targetId: z.string() })
const sessionSchema = z.object({ sessionId: z.string() })
const worldSchema = z.object({ executionContextId: z.number() })
const contentSchema = z.object({ result: z.object({ value: z.object({ url: z.string(), html: z.string() }) }) })
const createdSchema = z.object({
  targetInfo: z.object({ targetId: z.string(), browserContextId: z.string().optional() }),
})
const pausedSchema = z.object({
  requestId: z.string(),
  frameId: z.string(),
  resourceType: z.string(),
  request: z.object({ url: z.string() }),
})
const eventSchema = z.object({
  name: z.string().optional(),
  frameId: z.string().optional(),
  type: z.string().optional(),
  response: z.object({ status: z.number() }).optional(),
})
