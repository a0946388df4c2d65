import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { abortError } from '../../../domain/abort.ts'
import { watchedStream } from '../../serve/watched-stream.ts'
import { type McpServerOptions, mcpServer } from './server.ts'

export interface McpExchange extends McpServerOptions {
  /** One JSON-RPC message, or several, from a client. */
  readonly message: unknown
  /** What the client says it speaks, in `MCP-Protocol-Version`. */
  readonly protocolVersion: string | null
  /** Whether to answer with a stream, which can carry progress. */
  readonly streams: boolean
  /** How often a stream that has nothing to say shows that it lives. */
  readonly heartbeatMs: number
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Nothing of the reply is still to come. Called once, with the way it went. */
  readonly onEnd: (way: 'whole' | 'streamed') => void
}

/**
 * Answers a message with a server of its own, so that nothing is kept between two. When the signal aborts, or the
 * reader of a stream lets go of it, the calls are cancelled; an abort before the reply has begun throws.
 */
export async function answerMcp(exchange: McpExchange): Promise<Response> {
  const { message, protocolVersion, streams, heartbeatMs, signal, onEnd } = exchange
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !streams,
    keepAliveMs: heartbeatMs,
  })
  const server = mcpServer(exchange)
  await server.connect(transport)
  const stop = () => void server.close()
  const end = (way: 'whole' | 'streamed') => {
    // A signal holds its listeners, and they this server, for as long as it likes.
    signal.removeEventListener('abort', stop)
    stop()
    onEnd(way)
  }
  const stopped = new Promise<never>((_, reject) => {
    server.onclose = () => reject(abortError(signal))
  })
  // Nobody waits for it once there is a reply.
  stopped.catch(() => {})
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const request = requestFor(protocolVersion)
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

/** The transport refuses clients that do not name both kinds of reply. Ours get the kind that they named. */
function requestFor(protocolVersion: string | null): Request {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  if (protocolVersion !== null) headers.set('mcp-protocol-version', protocolVersion)
  return new Request('http://localhost/mcp', { method: 'POST', headers })
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}
