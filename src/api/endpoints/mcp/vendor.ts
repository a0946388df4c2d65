import type { ErrorBody, Failure } from '../../http/failure.ts'
import { withReferences } from '../../speak.ts'
import { routesWithV1, type Vendor } from '../../vendor.ts'

/** The search tools over MCP. */
export const mcp: Vendor = {
  name: 'mcp',
  title: 'Model Context Protocol',
  base: '/mcp',
  formatError: mcpError,
  // For clients that have no field for a key, such as ChatGPT.
  keyParameter: 'key',
  routes: routesWithV1('/mcp', {
    POST: withReferences(
      async () => (await import('./endpoint.ts')).createMcpHandler,
      async () => [(await import('./reference.ts')).mcpReference],
    ),
  }),
}

/** A JSON-RPC error for what fails before a message is read, so that none can be named. */
export function mcpError({ status, code, message, issues }: Failure): ErrorBody {
  const isUnreadable = issues.some(({ type }) => type === 'json_invalid')
  return {
    status,
    body: {
      jsonrpc: '2.0',
      error: { code: isUnreadable ? parseError : (codes[code] ?? serverError), message },
      id: null,
    },
  }
}

const parseError = -32700
/** The first of those that JSON-RPC leaves to the server. */
const serverError = -32000
const codes: Partial<Record<Failure['code'], number>> = { 'invalid-request': -32600, failed: -32603 }
