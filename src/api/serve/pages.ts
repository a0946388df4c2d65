import type { Handler } from 'hono'
import { PageError, type PageRequest } from '../../domain/page.ts'
import type { PageContext, PageReader } from '../../pages/page-reader.ts'
import type { PageDialect, PageOutcome } from '../dialect.ts'
import { readInput } from '../http/body.ts'
import type { AppEnvironment } from '../http/exchange.ts'
import { jsonReply } from '../http/json-reply.ts'
import { Refusal } from '../http/refusal.ts'
import { validate } from '../http/validate.ts'
import { cacheWish, nameIgnored, type RouteOptions } from './route.ts'

/** Answers a request for pages in one dialect: read, validate, parse, read all pages at the same time, format. */
export function servePages<Input>(dialect: PageDialect<Input>, options: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const exchange = context.get('exchange')
    const { raw } = context.req
    const sent = await readInput(raw, options.maximumBodyBytes)
    const input = validate(dialect.schema, sent)
    const { requests, timeoutMs, isFresh } = dialect.parse(input, raw.headers)
    const reader = readerOf(options)
    nameIgnored(context, dialect, input, sent)
    const wish = cacheWish(raw.headers)
    const cache = isFresh && wish === 'default' ? 'no-cache' : wish
    const reading = readPages(reader, requests, { signal: raw.signal, cache, caller: exchange.caller, timeoutMs })
    const outcomes = await exchange.observePages(reading)
    return jsonReply(context, dialect.format(outcomes, exchange.reply(input)))
  }
}

/** Throws a `Refusal` where this server reads no pages. */
function readerOf({ pages }: RouteOptions): PageReader {
  if (pages) return pages
  throw new Refusal(
    'pages-off',
    'This server reads no pages. Start csp with `--pages on`, and ask it at home: the edge reads none.',
  )
}

const maxReadMs = 30_000

interface ReadOptions extends PageContext {
  readonly timeoutMs?: number | undefined
}

/** Reads all pages at the same time, each within its time; one that fails does so alone. */
function readPages(
  reader: PageReader,
  requests: readonly PageRequest[],
  { timeoutMs = maxReadMs, ...context }: ReadOptions,
): Promise<readonly PageOutcome[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(Math.min(timeoutMs, maxReadMs))])
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
