import type { Page, PageRequest } from '@csp/page-reader/page'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { Handler } from 'hono'
import { z } from 'zod'
import { collect } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { checkOf } from '../../../executor/layers/metering/ledger.ts'
import type { AppEnvironment, Exchange } from '../../exchange/exchange.ts'
import { withHeaderWishes } from '../../fields/excerpts.ts'
import { given, listField, nameField } from '../../fields/field.ts'
import { validate } from '../../http/validate.ts'
import type { HandlerEndpoint } from '../../serve/endpoint.ts'
import { exampleEvents } from '../../serve/example.ts'
import { readPages } from '../../serve/read-pages.ts'
import type { RouteReference } from '../../serve/reference.ts'
import type { RouteOptions } from '../../serve/serve-search.ts'
import { toolNames } from './tool.ts'
import { mcpWebSearch } from './web-search.ts'

/**
 * MCP over streamable HTTP. Each message is answered on its own, so a restart of csp breaks no client. The session id
 * that `initialize` returns is never required: it only tells apart the calls of two clients when one is cancelled. It is
 * shown nowhere else, and a call is cancelled by its own caller alone.
 */
export const mcpEndpoint: HandlerEndpoint = { kind: 'own', create: createHandler, references: () => [mcpReference] }

function createHandler(options: RouteOptions): Handler<AppEnvironment> {
  const { pages } = options
  const running = new Map<string, AbortController>()
  return async (context) => {
    const exchange = context.get('exchange')
    const { headers, signal } = context.req.raw
    const message = await exchange.sent.input(options.maximumBodyBytes)
    const { tools } = validate(querySchema, context.req.query())
    const { method, id, params } = headSchema.parse(message)
    const keyOf = (number: unknown) => JSON.stringify([exchange.caller, headers.get('mcp-session-id'), number])
    if (method === 'notifications/cancelled') running.get(keyOf(params?.requestId))?.abort()

    const isCall = method === 'tools/call'
    const work = new AbortController()
    if (isCall && headers.has('mcp-session-id')) running.set(keyOf(id), work)
    const { answerMcp } = await import('./transport.ts')
    const reply = await answerMcp({
      message,
      headers,
      streams: isCall && (headers.get('accept') ?? '').includes('text/event-stream'),
      heartbeatMs: options.heartbeatMs,
      signal: AbortSignal.any([signal, work.signal]),
      version: options.version,
      tools,
      recalls: options.executor.recalls,
      search(asked, called) {
        const request = withHeaderWishes(asked, headers)
        const isWhole = params?._meta?.progressToken === undefined
        const trace = exchange.asked([request])
        const context = { signal: called, caller: exchange.caller, trace, isWhole }
        return exchange.observe(() => options.executor.search(request, context))
      },
      readPage: pages && ((request, called) => readOne(pages, request, called, exchange)),
      asker: (called) => ({
        ...{ signal: called, caller: exchange.caller },
        onChecked: () => void options.meter?.ledger.add(checkOf(exchange.caller)),
      }),
      onFailure: ({ code }, error) => exchange.failed(code, error),
      onEnd(way) {
        running.delete(keyOf(id))
        // The middleware logs a reply that is not streamed.
        if (way === 'streamed') exchange.finish(200)
      },
    })
    if (method === 'initialize') reply.headers.set('mcp-session-id', crypto.randomUUID())
    return reply
  }
}

async function readOne(
  pages: PageReader,
  request: PageRequest,
  signal: AbortSignal,
  exchange: Exchange,
): Promise<Page> {
  const reading = readPages(pages, [request], { signal, caller: exchange.caller })
  const [outcome] = await exchange.observePages(reading)
  if (!outcome?.page) throw outcome?.error
  return outcome.page
}

/** Names of tools, as in `/mcp?tools=search,fetch`. */
const querySchema = z.object({ tools: given(listField(nameField(toolNames), 20)) })

/** Only the fields that identify a call. The transport validates the message, and accepts batches. */
const headSchema = z
  .object({
    method: z.string().optional(),
    id: z.union([z.string(), z.number()]).optional(),
    params: z
      .object({
        requestId: z.unknown().optional(),
        _meta: z.object({ progressToken: z.unknown().optional() }).optional(),
      })
      .optional(),
  })
  .catch({})

const exampleQuery = 'heat pumps in the cold'

/** What MCP's transport sends and gets; the tools describe themselves, by `tools/list`. */
const mcpReference: RouteReference = {
  summary: 'The tools web_search, ask_web, fetch_page and check_claim over MCP, streamable HTTP, without sessions',
  schema: z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string(),
    params: z.looseObject({}).optional(),
  }),
  example: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: mcpWebSearch.name, arguments: { query: exampleQuery } },
  },
  async reply() {
    const input = mcpWebSearch.schema.parse({ query: exampleQuery })
    const answer = await collect(exampleEvents([resultsRequest({ query: exampleQuery })]))
    const { structured, text } = mcpWebSearch.format(answer, input)
    return { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }], structuredContent: structured } }
  },
}
