import { isObject } from '@csp/lib/json'
import { once } from '@csp/lib/once'
import type { Context } from 'hono'
import { openai } from './dialects/openai/vendor.ts'
import { perplexity } from './dialects/perplexity/vendor.ts'
import { searxng } from './dialects/searxng/vendor.ts'
import { serper } from './dialects/serper/vendor.ts'
import { maxGatewayBytes } from './dialects/shared/gateway/bounds.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { type Answering, answeringBy, type Route } from './route.ts'
import type { HandlerEndpoint } from './serve/endpoint.ts'
import type { RouteOptions } from './serve/serve-search.ts'
import { withV1 } from './vendor.ts'

const perplexitySearch = answeringBy(perplexity, 'perplexitySearch')
const serperSearches = answeringBy(serper, 'serperSearches')
const searxngSearch = answeringBy(searxng, 'searxngSearch')
const openaiResponses = answeringBy(openai, 'responses')
const perplexityAgent = answeringBy(perplexity, 'perplexityAgent')

const search = oneOf([perplexitySearch, serperSearches, searxngSearch], chooseSearch)
const responses = oneOf([openaiResponses, perplexityAgent], chooseResponses)

/** Paths that several vendors share. */
export const sharedRoutes: readonly Route[] = [
  { path: '/search', methods: { GET: searxngSearch, POST: search } },
  ...withV1('/responses').map((path) => ({ path, methods: { POST: responses } })),
]

/** Tells whose request it is. */
type Choose = (context: Context<AppEnvironment>, options: RouteOptions) => Promise<Answering>

/** What answers in several dialects. Until a request is told apart, its errors are those of the first vendor. */
function oneOf(all: readonly [Answering, ...Answering[]], choose: Choose): Answering {
  const name = all.map((each) => each.name).join('Or')
  return { vendor: all[0].vendor, name, load: once(() => loadOneOf(all, choose)) }
}

async function loadOneOf(all: readonly Answering[], choose: Choose): Promise<HandlerEndpoint> {
  const { handlerOf, referencesOf } = await import('./serve/endpoint.ts')
  const loaded = await Promise.all(all.map(async (one) => ({ one, endpoint: await one.load() })))
  return {
    kind: 'own',
    references: () =>
      loaded.flatMap(({ one, endpoint }) =>
        referencesOf(endpoint).map((reference) => ({ ...reference, title: one.vendor.title })),
      ),
    create(options) {
      const handlers = new Map(loaded.map(({ one, endpoint }) => [one, handlerOf(endpoint, options)] as const))
      return async (context, next) => {
        const chosen = await choose(context, options)
        context.get('exchange').envelope = chosen.vendor
        return handlers.get(chosen)?.(context, next)
      }
    },
  }
}

/** SearXNG's clients send forms and query strings to the path where Perplexity's and Serper's send JSON. */
async function chooseSearch(context: Context<AppEnvironment>, { maximumBodyBytes }: RouteOptions): Promise<Answering> {
  const { sent } = context.get('exchange')
  if (await sent.isForm(maximumBodyBytes)) return searxngSearch
  return asksSerper(await sent.json(maximumBodyBytes)) ? serperSearches : perplexitySearch
}

/** Whether a body has Serper's `q`, or a list of those. Perplexity's clients send a `query`, SearXNG's a `format`. */
function asksSerper(sent: unknown): boolean {
  const searches = [sent].flat()
  const isSerper = (search: unknown) =>
    isObject(search) && 'q' in search && !('query' in search) && !('format' in search)
  return searches.length > 0 && searches.every(isSerper)
}

/**
 * OpenAI's Responses API and Perplexity's Agent API. Their replies are not interchangeable: OpenAI's clients refuse a
 * reply with Perplexity's items, and Perplexity's look for exactly those.
 */
async function chooseResponses(context: Context<AppEnvironment>, { maximumBodyBytes, gateway }: RouteOptions) {
  const { headers } = context.req.raw
  if (isPerplexityClient(headers)) return perplexityAgent
  const sent = await context.get('exchange').sent.json(gateway ? maxGatewayBytes : maximumBodyBytes)
  return asksPerplexity(sent, headers) ? perplexityAgent : openaiResponses
}

/** Perplexity's own clients name themselves; its SDK is `Perplexity/JS 0.38.5`. */
function isPerplexityClient(headers: Headers): boolean {
  const isNamed = headers.has('x-source') || headers.has('x-pplx-integration')
  return isNamed || /perplexity\//i.test(headers.get('user-agent') ?? '')
}

/**
 * Whether a body has what only Perplexity has. A bare `sonar` is no sign: it is the first name of `/v1/models`, and
 * OpenAI's clients send it. Nor is `perplexity/sonar` from a client that is OpenAI's by its name or its fields.
 */
function asksPerplexity(sent: unknown, headers: Headers): boolean {
  if (!isObject(sent)) return false
  const { model } = sent
  const hasAny = (names: readonly string[]) => names.some((name) => (sent[name] ?? null) !== null)
  if (hasAny(perplexityFields)) return true
  if (typeof model !== 'string' || !model.trim().startsWith('perplexity/')) return false
  return !openaiClient.test(headers.get('user-agent') ?? '') && !hasAny(openaiFields)
}

const perplexityFields = ['preset', 'models', 'language_preference']
const openaiFields = ['text', 'include', 'store', 'truncation', 'prompt_cache_key']
/** `OpenAI/JS 7.55.0`, `AsyncOpenAI/Python 2.1`, `Agents/JavaScript 0.20.0`, `langchainjs-openai/1.6.0`. */
const openaiClient = /openai\/|\bagents\/|langchain/i
