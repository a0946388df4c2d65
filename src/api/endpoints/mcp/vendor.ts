import type { ErrorBody, Failure } from '../../exchange/failure.ts'
import { defineVendor, withV1 } from '../../vendor.ts'

/** The search tools over MCP. */
export const mcp = defineVendor({
  name: 'mcp',
  title: 'Model Context Protocol',
  base: '/mcp',
  formatError: mcpError,
  // For clients that have no field for a key, such as ChatGPT.
  keyParameter: 'key',
  load: () => import('./endpoint.ts'),
  routes: [[withV1('/mcp'), { POST: 'mcpEndpoint' }]],
})

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
