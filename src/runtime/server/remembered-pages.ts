import { hostOf, leadsElsewhere, parseUrl } from '@csp/lib/url'
import type { PageLayer } from '@csp/page-reader/whole-page'
import { type MemoryScope, ownerOf } from '../../domain/memory.ts'
import type { Memory } from '../../domain/recall.ts'

export interface RememberedOptions {
  readonly memory: Pick<Memory, 'keep'>
  /** `all` by default. */
  readonly scope: MemoryScope
  /** Whether a page may be kept that was found at this address: none of a private host. */
  readonly mayKeep: (url: string) => boolean
}

/** Gives memory each page that was fetched. Below the cache, so that each is given once. */
export function remembered({ memory, scope, mayKeep }: RememberedOptions): PageLayer {
  return (inner) => ({
    async read(request, context) {
      const page = await inner.read(request, context)
      const { finalUrl, title = '', contents, publishedAt, language } = page
      const isKept = context.cache !== 'no-store' && request.mainContentOnly !== false && mayKeep(finalUrl)
      if (isKept && !leadsElsewhere(request.url, finalUrl)) {
        const extent = request.isRough ? 'rough' : 'whole'
        const owner = ownerOf(scope, context.caller)
        const url = hostIn(request.url) === hostIn(finalUrl) ? request.url : finalUrl
        memory.keep([{ url, title, text: contents.markdown, extent, publishedAt, language, owner }])
      }
      return page
    },
    close: () => inner.close(),
  })
}

/** What another site sends is not kept as a page of the one that led there: anybody can write a link that redirects. */
function hostIn(url: string): string {
  return hostOf(parseUrl(url)?.host ?? '')
}
