import { routesWithV1, type Vendor } from '../../vendor.ts'
import { mcpError } from './error.ts'

/** The search tools over MCP. */
export const mcp: Vendor = {
  name: 'mcp',
  formatError: mcpError,
  routes: routesWithV1('/mcp', { POST: async () => (await import('./endpoint.ts')).createMcpHandler }),
}
