import { type Page, PageError, type PageRequest } from '../../src/domain/page.ts'
import type { PageContext, PageReader } from '../../src/pages/page-reader.ts'

export interface FakePageReader extends PageReader {
  /** What reached it, in order. */
  readonly requests: readonly PageRequest[]
}

/** What a fake has for an address: the content, parts of a page, or the error to reject with. */
export type FakePage = string | Partial<Page> | PageError

/** A reader over pages in memory. An address that is not among them is `not-found`. */
export function fakePageReader(pages: Readonly<Record<string, FakePage>>): FakePageReader {
  const requests: PageRequest[] = []
  return {
    requests,
    async read(request: PageRequest, { signal }: PageContext): Promise<Page> {
      requests.push(request)
      const found = pages[request.url]
      await Promise.resolve()
      if (signal.aborted) throw new PageError('cancelled', 'The caller went away.')
      if (found === undefined) throw new PageError('not-found', 'There is no such page (404).', { status: 404 })
      if (found instanceof PageError) throw found
      return fakePage(request, typeof found === 'string' ? { content: found } : found)
    },
    async close() {},
  }
}

function fakePage({ url, format = 'markdown', offset = 0, maxCharacters }: PageRequest, parts: Partial<Page>): Page {
  const whole = parts.content ?? ''
  const content = whole.slice(offset, maxCharacters === undefined ? undefined : offset + maxCharacters)
  return {
    url,
    finalUrl: url,
    status: 200,
    contentType: 'text/html',
    format,
    totalCharacters: whole.length,
    offset,
    remaining: whole.length - offset - content.length,
    links: [],
    ...parts,
    content,
  }
}
