import type { Handler } from 'hono'
import { isObject } from '../lib/json.ts'
import { loadOpenaiResponses, openai } from './dialects/openai/vendor.ts'
import { loadPerplexityAgent, loadPerplexitySearch, perplexity } from './dialects/perplexity/vendor.ts'
import { loadSearxngSearch, searxng } from './dialects/searxng/vendor.ts'
import { loadSerperSearch, serper } from './dialects/serper/vendor.ts'
import type { AppEnvironment } from './http/exchange.ts'
import { withReferences } from './speak.ts'
import { type CreateHandler, type LoadHandler, type Method, type Vendor, withV1 } from './vendor.ts'

/** A path that several vendors share. Until a request is told apart, its errors are those of the vendor named here. */
export interface SharedRoute {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, { readonly vendor: Vendor; readonly load: LoadHandler }>>>
  readonly only?: RegExp | undefined
}

const responses = withReferences(loadResponses, async () => [
  ...(await titled(openai, loadOpenaiResponses)),
  ...(await titled(perplexity, loadPerplexityAgent)),
])

export const sharedRoutes: readonly SharedRoute[] = [
  {
    path: '/search',
    methods: {
      GET: { vendor: searxng, load: loadSearxngSearch },
      POST: {
        vendor: perplexity,
        load: withReferences(loadFormOrJson, async () => [
          ...(await titled(perplexity, loadPerplexitySearch)),
          ...(await titled(serper, loadSerperSearch)),
          ...(await titled(searxng, loadSearxngSearch)).map((reference) => ({ ...reference, isForm: true })),
        ]),
      },
    },
  },
  ...withV1('/responses').map((path) => ({ path, methods: { POST: { vendor: openai, load: responses } } })),
]

async function titled({ title }: Vendor, { references }: LoadHandler) {
  return (await references()).map((reference) => ({ ...reference, title }))
}

/** The handler of one vendor; an error of that handler has its vendor's envelope. */
async function withEnvelope(vendor: Vendor, load: LoadHandler) {
  const create = await load()
  return (options: Parameters<typeof create>[0]): Handler<AppEnvironment> => {
    const handler = create(options)
    return (context, next) => {
      context.get('exchange').envelope = vendor
      return handler(context, next)
    }
  }
}

/** SearXNG's clients send forms and query strings to the path where Perplexity's and Serper's send JSON. */
async function loadFormOrJson(): Promise<CreateHandler> {
  const [createForm, createPerplexity, createSerper] = await Promise.all([
    withEnvelope(searxng, loadSearxngSearch),
    withEnvelope(perplexity, loadPerplexitySearch),
    withEnvelope(serper, loadSerperSearch),
  ])
  return (options) => {
    const form = createForm(options)
    const perplexityHandler = createPerplexity(options)
    const serperHandler = createSerper(options)
    return async (context, next) => {
      const { sent } = context.get('exchange')
      if (await sent.isForm(options.maximumBodyBytes)) return form(context, next)
      return (asksSerper(await sent.json(options.maximumBodyBytes)) ? serperHandler : perplexityHandler)(context, next)
    }
  }
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
async function loadResponses(): Promise<CreateHandler> {
  const [createOpenai, createAgent] = await Promise.all([
    withEnvelope(openai, loadOpenaiResponses),
    withEnvelope(perplexity, loadPerplexityAgent),
  ])
  return (options) => {
    const [openaiHandler, agent] = [createOpenai(options), createAgent(options)]
    return async (context, next) => {
      const { raw } = context.req
      if (isPerplexityClient(raw.headers)) return agent(context, next)
      const sent = await context.get('exchange').sent.json(options.maximumBodyBytes)
      return (asksPerplexity(sent, raw.headers) ? agent : openaiHandler)(context, next)
    }
  }
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
