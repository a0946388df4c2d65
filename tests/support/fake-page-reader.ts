import { raced } from '@csp/lib/abort'
import type { Page, PageRequest } from '@csp/page-reader/page'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import { cutting } from '../../packages/page-reader/src/cut-page.ts'
import { toPageError } from '../../packages/page-reader/src/page-failure.ts'

export interface FakePageReader extends PageReader {
  /** What reached it, in order. */
  readonly requests: readonly PageRequest[]
}

/** A page that is never there, and never missing either. */
export const silence = Symbol('silence')

/** What a fake has for an address: the content, parts of a page, or the error to reject with. */
export type FakePage = string | Partial<Page> | PageError | typeof silence

/** A reader over pages in memory. An address that is not among them is `not-found`. */
export function fakePageReader(pages: Readonly<Record<string, FakePage>>): FakePageReader {
  const requests: PageRequest[] = []
  return {
    requests,
    async read(request: PageRequest, context: PageContext): Promise<Page> {
      requests.push(request)
      const found = pages[request.url]
      try {
        await raced(found === silence ? new Promise<never>(() => {}) : Promise.resolve(), context.signal)
      } catch (error) {
        throw toPageError(error, context.signal)
      }
      if (found === undefined) throw new PageError('not-found', 'There is no such page (404).', { status: 404 })
      if (found instanceof PageError) throw found
      return fakePage(request, context, typeof found === 'object' ? found : { content: String(found) })
    },
    async close() {},
  }
}

async function fakePage(request: PageRequest, context: PageContext, parts: Partial<Page>): Promise<Page> {
  const content = parts.content ?? ''
  const whole = {
    finalUrl: parts.finalUrl ?? request.url,
    status: 200,
    contentType: 'text/html',
    links: [],
    contents: { markdown: content, text: content, html: content },
  }
  const page = await cutting({ read: async () => whole, async close() {} }).read(request, context)
  return { ...page, ...parts, content: page.content }
}
