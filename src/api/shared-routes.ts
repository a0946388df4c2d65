import type { Handler } from 'hono'
import { parseJson } from '../lib/json.ts'
import { loadOpenaiResponses, openai } from './dialects/openai/vendor.ts'
import { loadPerplexityAgent, loadPerplexitySearch, perplexity } from './dialects/perplexity/vendor.ts'
import { loadSearxngSearch, searxng } from './dialects/searxng/vendor.ts'
import { isForm, readBody, saysForm, withBody } from './http/body.ts'
import type { AppEnvironment } from './http/exchange.ts'
import { type LoadHandler, type Method, type Vendor, withV1 } from './vendor.ts'

/** A path that several vendors share. Until a request is told apart, its errors are those of the vendor named here. */
export interface SharedRoute {
  readonly path: string
  readonly methods: Readonly<Partial<Record<Method, { readonly vendor: Vendor; readonly load: LoadHandler }>>>
}

export const sharedRoutes: readonly SharedRoute[] = [
  {
    path: '/search',
    methods: {
      GET: { vendor: searxng, load: loadSearxngSearch },
      POST: { vendor: perplexity, load: loadFormOrJson },
    },
  },
  ...withV1('/responses').map((path) => ({ path, methods: { POST: { vendor: openai, load: loadResponses } } })),
]

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

/** SearXNG's clients send forms and query strings to the path where Perplexity's send JSON. */
async function loadFormOrJson(): ReturnType<LoadHandler> {
  const [createForm, createJson] = await Promise.all([
    withEnvelope(searxng, loadSearxngSearch),
    withEnvelope(perplexity, loadPerplexitySearch),
  ])
  return (options) => {
    const [form, json] = [createForm(options), createJson(options)]
    return async (context, next) => {
      const { raw } = context.req
      if (raw.body && !saysForm(raw)) return json(context, next)
      const bytes = await readBody(raw, options.maximumBodyBytes)
      context.req.raw = withBody(raw, bytes)
      return (isForm(raw, bytes) ? form : json)(context, next)
    }
  }
}

/**
 * OpenAI's Responses API and Perplexity's Agent API. Their replies are not interchangeable: OpenAI's clients refuse a
 * reply with Perplexity's items, and Perplexity's look for exactly those.
 */
async function loadResponses(): ReturnType<LoadHandler> {
  const [createOpenai, createAgent, { isSonar }] = await Promise.all([
    withEnvelope(openai, loadOpenaiResponses),
    withEnvelope(perplexity, loadPerplexityAgent),
    import('./dialects/shared/sources.ts'),
  ])
  return (options) => {
    const [openaiHandler, agent] = [createOpenai(options), createAgent(options)]
    return async (context, next) => {
      const { raw } = context.req
      if (hasPerplexityHeader(raw.headers)) return agent(context, next)
      const bytes = await readBody(raw, options.maximumBodyBytes)
      context.req.raw = withBody(raw, bytes)
      return (asksPerplexity(bytes, isSonar) ? agent : openaiHandler)(context, next)
    }
  }
}

/** Perplexity's own clients name themselves: `perplexity-node`, `pplx-mcp-server`, … */
function hasPerplexityHeader(headers: Headers): boolean {
  return headers.has('x-pplx-integration') || /perplexity|pplx/i.test(headers.get('x-source') ?? '')
}

/** Whether a body has a field or a model that only Perplexity has. */
function asksPerplexity(bytes: Uint8Array, isSonar: (model: string) => boolean): boolean {
  const body = parseJson(new TextDecoder().decode(bytes))
  if (typeof body !== 'object' || body === null) return false
  if ('preset' in body && typeof body.preset === 'string') return true
  if (!('model' in body) || typeof body.model !== 'string') return false
  return isSonar(body.model) || body.model.trim().startsWith('perplexity/')
}
