import { parseUrl } from '@csp/lib/url'
import { excluded, PageError } from '../page-error.ts'
import { toPageError } from '../page-failure.ts'
import type { WholePageReader } from '../whole-page.ts'
import type { BodyReader } from './local.ts'

/** The HTML of the page at an address; `missing` on a site of this program that has no such page; `undefined` elsewhere. */
export type ServedPages = (url: URL) => string | 'missing' | undefined

/** A reader whose pages on some sites are this program's own: these sites are never asked. `inner` reads all others. */
export function withServed(inner: WholePageReader, extractor: BodyReader, served: ServedPages): WholePageReader {
  return {
    async read(request, context) {
      const url = parseUrl(request.url.trim())
      const html = url ? served(url) : undefined
      if (!url || html === undefined) return inner.read(request, context)
      if (context.mayVisit?.(url) === false) throw excluded()
      if (html === 'missing') throw new PageError('not-found', 'The site has no page at this address.', { status: 404 })
      const { mainContentOnly = true, isRough = false } = request
      const body = new TextEncoder().encode(html)
      const extraction = { body, contentType: 'text/html; charset=utf-8', url: url.href, mainContentOnly, isRough }
      try {
        context.signal.throwIfAborted()
        extractor.warm(1)
        const { leadsTo: _, ...read } = await extractor.extract(extraction, context.signal, context.caller)
        return { ...read, finalUrl: url.href, status: 200 }
      } catch (error) {
        throw toPageError(error, context.signal)
      }
    },
    close: () => inner.close(),
  }
}
