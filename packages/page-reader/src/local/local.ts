import { raced } from '@csp/lib/abort'
import { Semaphore } from '@csp/lib/semaphore'
import { parseUrl } from '@csp/lib/url'
import type { PageBrowser } from '../browser/page-browser.ts'
import type { Extracted, Extraction } from '../extract/extracted.ts'
import { languageOf } from '../extract/metadata.ts'
import { isShell } from '../extract/obstacles.ts'
import { excluded, PageError } from '../page-error.ts'
import { toPageError } from '../page-failure.ts'
import type { PageContext } from '../page-reader.ts'
import { type NamedForm, siteForms } from '../sites/sites.ts'
import type { WholePage, WholePageReader, WholePageRequest } from '../whole-page.ts'
import { type PdfLimit, tooLarge } from './body.ts'
import { checkLed, checkReply } from './check-reply.ts'
import { checkStep, type FetchOptions, type FetchReply, fetchPage } from './fetch-page.ts'
import { FormFetcher } from './form-fetcher.ts'
import type { KeptBodies, KeptReply } from './kept-bodies.ts'
import { checkPageUrl } from './page-url.ts'
import { Robots } from './robots.ts'
import { maxRobotsBytes } from './robots-rules.ts'

/** How pages are fetched, and what reads their bodies. */
export interface LocalReaderOptions extends FetchOptions {
  /** Reads the bodies. */
  readonly extractor: BodyReader
  /** Bodies of rough reads. Absent: none is kept. */
  readonly bodies?: KeptBodies | undefined
  /** Shows pages that have nothing to read without their scripts. Absent: these are an error. */
  readonly browser?: PageBrowser | undefined
  /** Called with the caller of each page that was fetched. */
  readonly onFetched?: ((caller: string | undefined) => void) | undefined
  /** Whether robots.txt is honoured; true by default. */
  readonly honoursRobots?: boolean | undefined
  /** Called before each redirected request, which takes time of its site as well; the request waits for it. */
  readonly onRedirect?: ((url: string, signal: AbortSignal, caller: string | undefined) => Promise<void>) | undefined
}

/** Reads the bodies of pages, as `Extractor` does in processes of their own. */
export interface BodyReader {
  /** Gets ready for so many pages at once. */
  warm(pages: number): void
  /** Callers take turns. */
  extract(extraction: Extraction, signal: AbortSignal, caller?: string): Promise<Extracted>
  close(): void
}

/** One page that is read. */
interface Reading {
  readonly request: WholePageRequest
  readonly context: PageContext
  readonly signal: AbortSignal
  readonly makeRoom: PdfLimit['makeRoom']
}

/** A page without words that leads to another, as the `steps`th on the way. */
interface LedFrom {
  readonly url: URL
  readonly leadsTo: string
  readonly steps: number
}

/** A page, which may lead elsewhere. */
type ReadPage = WholePage & Pick<Extracted, 'leadsTo'>

/** Reads pages from this machine: fetches them with care, and leaves what is in them to the extractor. */
export function createLocalReader(options: LocalReaderOptions): WholePageReader {
  const { extractor, bodies, browser, honoursRobots = true } = options
  const largePlaces = new Semaphore(maxLargeBodies)
  const forms = new FormFetcher(checkReply)
  const closing = new AbortController()
  let reading = 0
  const robots = new Robots({
    name: 'csp',
    fetch: (url, signal) =>
      fetchPage(
        { url, accept: 'text/plain', signal, maxBytes: maxRobotsBytes, isCut: true },
        { ...options, timeoutMs: Math.min(options.timeoutMs ?? robotsTimeoutMs, robotsTimeoutMs) },
      ),
  })

  async function check(
    next: URL,
    { mayVisit, caller }: PageContext,
    signal: AbortSignal,
    waits: boolean,
  ): Promise<void> {
    if (mayVisit?.(next) === false) throw excluded()
    if (waits) await options.onRedirect?.(next.href, signal, caller)
    if (honoursRobots) await raced(robots.check(next), signal)
  }

  /** What a page sends, or the one that the page before `from` leads to. */
  async function fetched({ request, context, signal, makeRoom }: Reading, from?: LedFrom): Promise<FetchReply> {
    let hops = from ? 1 : 0
    const allow = async (next: URL): Promise<void> => {
      // While the page is on its way, so that it does not wait for a reader as well.
      if (hops === 0) extractor.warm(reading)
      await check(next, context, signal, hops++ > 0)
    }
    const { language } = request
    const url = from?.leadsTo ?? request.url
    if (from) checkStep(from.url, new URL(url))
    const pdf = { maxBytes: maxPdfBytes, makeRoom }
    const reply = await fetchPage({ url, accept, language, signal, maxBytes: maxPageBytes, pdf, allow }, options)
    checkReply(reply)
    return reply
  }

  /** What the addresses of a form sent, as if the page had sent it. */
  async function fetchedForm({ request, context, signal, makeRoom }: Reading, form: NamedForm): Promise<FetchReply> {
    const { url } = checkPageUrl(request.url, options.opened)
    if (context.mayVisit?.(url) === false) throw excluded()
    const hosts = form.addresses.map((address) => parseUrl(address)?.host)
    const allow = (next: URL): Promise<void> => {
      const isOwn = hosts.includes(next.host)
      return check(next, isOwn ? { ...context, mayVisit: undefined } : context, signal, true)
    }
    const pdf = form.site ? undefined : { maxBytes: maxPdfBytes, makeRoom }
    extractor.warm(reading)
    const reply = await forms.fetch(
      form,
      (address, inTime) =>
        fetchPage(
          { url: address, accept: form.accept, signal: inTime, maxBytes: maxPageBytes, pdf, allow },
          { ...options, timeoutMs: Math.min(options.timeoutMs ?? formTimeoutMs, formTimeoutMs) },
        ),
      signal,
    )
    if (form.site && reply.body.byteLength > maxPageBytes) throw tooLarge(maxPageBytes)
    return { ...reply, url }
  }

  /** Reads what a page sends, or a form of it. */
  async function readAs(page: Reading, form?: NamedForm): Promise<WholePage> {
    const { request, context } = page
    const { isRough = false } = request
    const [address] = form?.addresses ?? []
    const known = await bodies?.get(request, context)
    const kept = known?.form === address ? known : undefined
    let reply = kept
    for (let from: LedFrom | undefined; ; ) {
      if (!reply) {
        context.onWait?.('site')
        reply = { ...(await (form ? fetchedForm(page, form) : fetched(page, from))), form: address }
        options.onFetched?.(context.caller)
        if (isRough) await bodies?.keep(request, context, reply)
      }
      context.onWait?.('reader')
      const { leadsTo, ...read } = await readReply(page, reply, form)
      if (leadsTo === undefined) return read
      // A form is the page itself.
      if (form) throw new PageError('empty', 'There is no text in the form of the page.')
      const steps: number = (from?.steps ?? 0) + 1
      if (steps > maxLeads)
        throw new PageError('unreachable', `The page only leads to other pages, more than ${maxLeads} times.`)
      from = { url: new URL(read.finalUrl), leadsTo, steps }
      reply = undefined
    }
  }

  /** Reads the body of a reply, or what a browser shows of it. */
  async function readReply(page: Reading, reply: KeptReply, form: NamedForm | undefined): Promise<ReadPage> {
    const { request, context, signal } = page
    const { mainContentOnly = true, isRough = false } = request
    const contentType = reply.headers['content-type'] ?? ''
    const said = reply.headers['content-language']
    const pageIn = async (body: typeof reply.body, type: string, finalUrl: URL): Promise<ReadPage> => {
      const extraction = { body, contentType: type, url: finalUrl.href, mainContentOnly, isRough, site: form?.site }
      const found = await extractor.extract(extraction, signal, context.caller)
      checkLed(request.url, finalUrl, found.contents.text || found.contents.markdown)
      return { ...found, language: found.language ?? languageOf(said), finalUrl: finalUrl.href, status: reply.status }
    }
    try {
      return await pageIn(reply.body, contentType, reply.url)
    } catch (error) {
      if (!(error instanceof PageError) || !isShell(error.code)) throw error
      checkLed(request.url, reply.url, '')
      if (error.code !== 'needs-scripts') throw error
      // A list has no time for a browser.
      if (!browser || isRough || form) throw error
      const allow = (next: URL): Promise<void> => check(next, context, signal, true)
      const tab = { url: reply.url.href, language: request.language, allow }
      const { url, html } = await browser.show(tab, signal, context.caller)
      return pageIn(new TextEncoder().encode(html), 'text/html; charset=utf-8', new URL(url))
    }
  }

  /** The page in the first of its forms that can be read. */
  async function readForm(page: Reading): Promise<WholePage | undefined> {
    for (const form of siteForms(page.request.url)) {
      try {
        return await readAs(page, form)
      } catch {
        page.signal.throwIfAborted()
      }
    }
    return undefined
  }

  async function read(page: Reading): Promise<WholePage> {
    const isSparing = page.request.isRough && siteForms(page.request.url).some(({ isLimited }) => isLimited)
    if (!isSparing) return (await readForm(page)) ?? readAs(page)
    try {
      return await readAs(page)
    } catch (error) {
      const known = error instanceof PageError && ['not-found', 'invalid-url', 'not-allowed'].includes(error.code)
      const form = known ? undefined : await readForm(page)
      if (form) return form
      throw error
    }
  }

  return {
    async read(request, context) {
      const signal = AbortSignal.any([context.signal, closing.signal])
      let leave: (() => void) | undefined
      const makeRoom = async (inTime: AbortSignal): Promise<void> => {
        if (leave) return
        const place = await largePlaces.take(inTime, context.caller)
        if (typeof place !== 'function') throw inTime.reason
        leave = place
      }
      reading++
      try {
        signal.throwIfAborted()
        return await read({ request, context, signal, makeRoom })
      } catch (error) {
        throw toPageError(error, context.signal)
      } finally {
        reading--
        leave?.()
      }
    },
    async close() {
      closing.abort(new PageError('cancelled', 'The page reader was closed.'))
      robots.close()
      extractor.close()
    },
  }
}

const accept =
  'text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,application/json;q=0.9,*/*;q=0.5'
/** Pages without words that lead to the next one, before the page. */
const maxLeads = 3
const robotsTimeoutMs = 5000
/** Leaves time for the page itself. */
const formTimeoutMs = 5000
/** PDFs over 2 MB at once, from their download until they are read: 60 MB of memory. */
const maxLargeBodies = 6
/** The limits for a page and for a PDF: as sent, and again after inflation. */
const maxPageBytes = 2_000_000
const maxPdfBytes = 10_000_000
