import { withTimeout } from '@csp/lib/abort'
import type { Page, PageRequest } from '@csp/page-reader/page'
import { PageError } from '@csp/page-reader/page-error'
import type { PageContext, PageReader } from '@csp/page-reader/page-reader'
import { sourcesOf } from '../../domain/answer.ts'
import type { Answer } from '../../domain/search.ts'
import type { FoundPagesWish, PageOutcome } from '../dialect.ts'
import { cacheWish } from './cache-wish.ts'

const maxReadMs = 30_000

/** Reads all pages at the same time, each within its time; one that fails does so alone. */
export function readPages(
  reader: PageReader,
  requests: readonly PageRequest[],
  context: PageContext,
): Promise<readonly PageOutcome[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxReadMs)])
  return Promise.all(requests.map((request) => readPage(reader, request, { ...context, signal })))
}

async function readPage(reader: PageReader, request: PageRequest, context: PageContext): Promise<PageOutcome> {
  const { url } = request
  try {
    return { url, page: await reader.read(request, context) }
  } catch (cause) {
    const error = cause instanceof PageError ? cause : new PageError('failed', 'The page reader broke.', { cause })
    // Nobody reads the reply.
    if (error.code === 'cancelled' && context.signal.aborted) throw error
    return { url, error }
  }
}

/** How much later a search ends for the pages that it found. */
const maxAddedMs = 1_500
/** How long a page that comes too late is read on, for the cache. */
const maxReadBehindMs = 10_000

/** Reads pages that a search found, no others. What does not come in time is read on after the reply. */
export async function readFoundPages(
  reader: PageReader,
  answer: Answer,
  { count, format, maxCharacters, mainContentOnly }: FoundPagesWish,
  context: PageContext,
): Promise<readonly PageOutcome[]> {
  const urls = sourcesOf(answer.searches)
    .slice(0, count)
    .map(({ url }) => url)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxReadBehindMs)])
  const outcomes = new Map<string, PageOutcome>()
  const reads = urls.map(async (url) => {
    const request = { url, format, maxCharacters, mainContentOnly }
    outcomes.set(url, await readPage(reader, request, { ...context, signal }))
  })
  const all = Promise.all(reads)
  // After the reply nothing awaits it.
  all.catch(() => {})
  await withTimeout(all, maxAddedMs)
  return urls.map((url) => outcomes.get(url) ?? { url, error: new PageError('timeout', 'The page came too late.') })
}

export function pagesByUrl(outcomes: readonly PageOutcome[]): ReadonlyMap<string, Page> {
  return new Map(outcomes.flatMap(({ url, page }) => (page ? [[url, page] as const] : [])))
}

/** What the headers say of the cache; without a wish there, what the body says. */
export function pageCacheWish(headers: Headers, isFresh: boolean | undefined): PageContext['cache'] {
  const wish = cacheWish(headers)
  return isFresh && wish === 'default' ? 'no-cache' : wish
}
