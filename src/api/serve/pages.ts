import type { PageReader } from '@csp/page-reader/page-reader'
import type { Context, Handler } from 'hono'
import type { Executor } from '../../executor/executor.ts'
import { judged } from '../../executor/layers/evidence/judge.ts'
import { checkOf } from '../../executor/layers/metering/ledger.ts'
import { type AskedJudge, type PageDialect, TextReply } from '../dialect.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { Refusal } from '../exchange/refusal.ts'
import { jsonReply } from '../http/json-reply.ts'
import { validate } from '../http/validate.ts'
import { pageCacheWish, readPages } from './read-pages.ts'
import { nameIgnored, type RouteOptions } from './serve-search.ts'

/** Answers a request for pages in one dialect: read, validate, parse, read all pages at the same time, format. */
export function servePages<Input>(dialect: PageDialect<Input>, options: RouteOptions): Handler<AppEnvironment> {
  return async (context) => {
    const exchange = context.get('exchange')
    const { raw } = context.req
    const body = dialect.read && !raw.body ? undefined : await exchange.sent.input(options.maximumBodyBytes)
    const sent = dialect.read ? dialect.read(raw, body) : body
    const input = validate(dialect.schema, sent)
    const { requests, timeoutMs, isFresh } = dialect.parse(input)
    const language = languageOf(raw.headers)
    const localised = requests.map((request) => ({ ...request, language: request.language ?? language }))
    const reader = requests.length > 0 ? readerOf(options) : undefined
    nameIgnored(context, dialect, input, sent)
    const cache = pageCacheWish(raw.headers, isFresh)
    const read = { signal: raw.signal, cache, caller: exchange.caller, timeoutMs }
    const outcomes = reader ? await exchange.observePages(readPages(reader, localised, read)) : []
    const search: Executor['search'] = (request, asked) =>
      exchange.observe(() => options.executor.search(request, { ...asked, trace: exchange.asked([request]) }))
    const judge: AskedJudge = async (evidence) =>
      (await judged({ search }, evidence, { signal: raw.signal, caller: exchange.caller })).evidence
    const { caller } = exchange
    const onChecked = () => void options.meter?.ledger.add(checkOf(caller))
    const asker = { signal: raw.signal, caller, judge, onChecked }
    const reply = await dialect.format(outcomes, exchange.reply(input), asker)
    return reply instanceof TextReply ? textReply(context, reply) : jsonReply(context, reply)
  }
}

/** What a program's library sends by itself says nothing. */
function languageOf(headers: Headers): string | undefined {
  const language = headers.get('accept-language')?.slice(0, maxLanguage)
  return language === '*' ? undefined : language
}

const maxLanguage = 200

/** Never as HTML: the text is a stranger's, and a browser would run it as a page of csp. */
function textReply(context: Context<AppEnvironment>, { type, text }: TextReply): Response {
  return context.body(text, 200, { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' })
}

/** Throws a `Refusal` where this server reads no pages. */
function readerOf({ pages }: RouteOptions): PageReader {
  if (pages) return pages
  throw new Refusal(
    'pages-off',
    'This server reads no pages. Start csp with `--pages on`, and ask it at home: the edge reads none.',
  )
}
