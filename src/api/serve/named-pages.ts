import { parseUrl } from '@csp/lib/url'
import { excluded, PageError } from '@csp/page-reader/page-error'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { SearchRequest } from '../../domain/search.ts'
import type { Dialect, PageOutcome, PageWish } from '../dialect.ts'
import type { Exchange } from '../exchange/exchange.ts'
import { pageCacheWish, readPages } from './read-pages.ts'

interface Named {
  readonly requests: readonly SearchRequest[]
  readonly outcomes?: readonly PageOutcome[] | undefined
}

/** Reads the pages that a request names, before its search, and puts them into what is asked. */
export async function withNamedPages<Input>(
  requests: readonly SearchRequest[],
  { namedPages }: Dialect<Input>,
  input: Input,
  { headers, signal }: Request,
  reader: PageReader | undefined,
  exchange: Exchange,
): Promise<Named> {
  const wish = namedPages?.wish(input)
  if (!namedPages || !wish) return { requests }
  const context = { signal, caller: exchange.caller, cache: pageCacheWish(headers, wish.isFresh), timeoutMs: maxReadMs }
  const outcomes = await exchange.observePages(readWithNext())
  return { requests: requests.map((request) => namedPages.add(request, outcomes)), outcomes }

  async function readWithNext(): Promise<readonly PageOutcome[]> {
    const first = await readNamed(wish ?? { requests: [] }, reader, context)
    const next = namedPages?.next?.(input, first)
    return next ? [...first, ...(await readNamed(next, reader, context))] : first
  }
}

/** Nothing has been sent yet, and the search is still to come. */
const maxReadMs = 10_000

async function readNamed(
  { requests, mayVisit }: PageWish,
  reader: PageReader | undefined,
  context: Parameters<typeof readPages>[2],
): Promise<readonly PageOutcome[]> {
  const isExcluded = (address: string) => {
    const url = parseUrl(address)
    return url !== null && mayVisit?.(url) === false
  }
  const allowed = requests.filter(({ url }) => !isExcluded(url))
  const read = reader ? await readPages(reader, allowed, { ...context, mayVisit }) : []
  const byUrl = new Map(read.map((outcome) => [outcome.url, outcome]))
  return requests.map(({ url }) => {
    const error = isExcluded(url) ? excluded() : new PageError('failed', 'This server reads no pages.')
    return byUrl.get(url) ?? { url, error }
  })
}
