import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { abortError } from '../executor/abort-error.ts'
import { type McpServerOptions, mcpServer } from './mcp-server.ts'

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
}

/** Answers a message with a server of its own, so that nothing is kept between two. An abort throws. */
export async function answerMcp(exchange: McpExchange): Promise<Response> {
  const { message, protocolVersion, streams, heartbeatMs, signal } = exchange
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: !streams,
    keepAliveMs: heartbeatMs,
  })
  const server = mcpServer(exchange)
  await server.connect(transport)
  const aborted = new Promise<never>((_, reject) => {
    const stop = () => {
      void server.close()
      reject(abortError(signal))
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
  // A stream that has begun ends by itself when the server closes.
  aborted.catch(() => {})
  // The transport refuses clients that do not name both kinds of reply; ours get the kind they named.
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  if (protocolVersion !== null) headers.set('mcp-protocol-version', protocolVersion)
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  return Promise.race([transport.handleRequest(request, { parsedBody: message }), aborted])
}
