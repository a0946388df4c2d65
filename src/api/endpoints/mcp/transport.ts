import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { abortError } from '../../../domain/abort.ts'
import { watchedStream } from '../../serve/sse.ts'
import { type McpServerOptions, mcpServer } from './server.ts'

export interface McpExchange extends McpServerOptions {
  /** One JSON-RPC message, or several, from a client. */
  readonly message: unknown
  /** The client's. */
  readonly headers: Headers
  /** Whether to answer with a stream, which can carry progress. */
  readonly streams: boolean
  /** The interval of heartbeats on a silent stream. */
  readonly heartbeatMs: number
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal
  /** Called once, after the last byte of the reply, with the way it was sent. */
  readonly onEnd: (way: 'whole' | 'streamed') => void
}

/**
 * Answers a message with a new server, so that no state is kept between two. When the signal aborts, or the reader of a
 * stream cancels it, the calls are cancelled; an abort before the reply has begun throws.
 */
export async function answerMcp(exchange: McpExchange): Promise<Response> {
  const { message, headers, signal, onEnd } = exchange
  // One of its own: the SDK leaves its listeners on it, and the caller's would keep this server in memory.
  const work = new AbortController()
  const stop = () => work.abort()
  const end = (way: 'whole' | 'streamed') => {
    signal.removeEventListener('abort', stop)
    stop()
    onEnd(way)
  }
  const stopped = new Promise<never>((_, reject) => {
    work.signal.addEventListener('abort', () => reject(abortError(signal)))
  })
  // Nothing awaits it once there is a reply.
  stopped.catch(() => {})
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const request = requestFor(headers, work.signal)
    const isOlder = await isLegacyRequest(request, message)
    const replying = isOlder ? answerOlder(exchange, request) : answerStateless(exchange, request)
    const reply = await Promise.race([replying, stopped])
    if (reply.body && isStream(reply)) {
      return new Response(watchedStream(reply.body, { onCancel: stop, onEnd: () => end('streamed') }), reply)
    }
    end('whole')
    return reply
  } catch (error) {
    end('whole')
    throw error
  }
}

/** MCP since 2026-07-28, where each request says itself what it is and its headers repeat it. */
function answerStateless(exchange: McpExchange, request: Request): Promise<Response> {
  const { message, streams, heartbeatMs } = exchange
  const handler = createMcpHandler(() => mcpServer({ ...exchange, isSilent: !streams }), {
    legacy: 'reject',
    // Without progress the second is one JSON body.
    responseMode: streams ? 'sse' : 'auto',
    keepAliveMs: heartbeatMs,
    // csp has nothing to tell subscribers, and their streams would stay open.
    maxSubscriptions: 0,
  })
  return handler.fetch(request, { parsedBody: message })
}

/** The versions before. Not by the handler above, which answers them with streams alone. */
async function answerOlder(exchange: McpExchange, request: Request): Promise<Response> {
  const { message, streams, heartbeatMs } = exchange
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !streams,
    keepAliveMs: heartbeatMs,
  })
  const server = mcpServer(exchange)
  await server.connect(transport)
  request.signal.addEventListener('abort', () => void server.close())
  return transport.handleRequest(request, { parsedBody: message })
}

/** The SDK refuses clients that do not accept both kinds of reply. Here each gets the kind that it accepts. */
function requestFor(sent: Headers, signal: AbortSignal): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const value = sent.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal })
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}
