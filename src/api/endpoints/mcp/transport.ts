import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { abortError } from '../../../domain/abort.ts'
import { watchedStream } from '../../serve/sse.ts'
import { type McpServerOptions, mcpServer } from './server.ts'
import { refusedMessage, statelessVersion } from './stateless.ts'

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
  const { message, headers, streams, heartbeatMs, signal, onEnd } = exchange
  const refusal = refusedMessage(message, headers)
  if (refusal) {
    onEnd('whole')
    return Response.json(refusal.body, refusal)
  }
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !streams,
    keepAliveMs: heartbeatMs,
  })
  const server = mcpServer(exchange)
  await server.connect(transport)
  const stop = () => void server.close()
  const end = (way: 'whole' | 'streamed') => {
    // Otherwise the signal would keep the listener, and with it this server, in memory.
    signal.removeEventListener('abort', stop)
    stop()
    onEnd(way)
  }
  const stopped = new Promise<never>((_, reject) => {
    server.onclose = () => reject(abortError(signal))
  })
  // Nothing awaits it once there is a reply.
  stopped.catch(() => {})
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const request = requestFor(headers.get('mcp-protocol-version'))
    const reply = await Promise.race([transport.handleRequest(request, { parsedBody: message }), stopped])
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

/** The transport refuses clients that do not accept both kinds of reply. Here each gets the kind that it accepts. */
function requestFor(protocolVersion: string | null): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  // The transport does not know the version without sessions, which is checked by now.
  if (protocolVersion !== null && protocolVersion !== statelessVersion)
    headers.set('mcp-protocol-version', protocolVersion)
  return new Request('http://localhost/mcp', { method: 'POST', headers })
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}
