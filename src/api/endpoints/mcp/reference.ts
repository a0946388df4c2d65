import { z } from 'zod'
import { collect } from '../../../domain/answer.ts'
import { resultsRequest } from '../../../domain/search.ts'
import { exampleEvents } from '../../serve/example.ts'
import type { RouteReference } from '../../serve/reference.ts'
import { mcpWebSearch } from './web-search.ts'

const query = 'heat pumps in the cold'

/** What MCP's transport sends and gets; the tools describe themselves, by `tools/list`. */
export const mcpReference: RouteReference = {
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
    params: { name: mcpWebSearch.name, arguments: { query } },
  },
  async reply() {
    const input = mcpWebSearch.schema.parse({ query })
    const answer = await collect(exampleEvents([resultsRequest({ query })]))
    const { structured, text } = mcpWebSearch.format(answer, input)
    return { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }], structuredContent: structured } }
  },
}
