import { concretePath } from '../support/concrete-path.ts'
import { searchRoutes } from '../support/routes.ts'

/** A path that reads a body of JSON, and the smallest one it takes. */
export interface PostRoute {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Every path that a search can be asked for by POST, MCP among them. */
export const postRoutes: readonly PostRoute[] = [
  ...pathsOf('POST').map((path) => ({ path: concretePath(path), body: bodyFor(path) })),
]

/** Every path that a search can be asked for by GET, with the smallest query string it takes. */
export const getRoutes: readonly string[] = pathsOf('GET').map((path) => `${path}?${queryFor(path)}`)

/** One JSON-RPC message that calls a tool. */
export function callOf(name: string, args: Readonly<Record<string, unknown>>): PostRoute['body'] {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
}

function pathsOf(method: 'GET' | 'POST'): readonly string[] {
  return searchRoutes.filter(({ methods }) => methods[method]).map(({ path }) => path)
}

/** Of a path that is not known here a search is asked in every field that one is known to stand in. */
function bodyFor(path: string): PostRoute['body'] {
  if (path.endsWith('/mcp')) return callOf('web_search', { query: 'bees' })
  const messages = [{ role: 'user', content: 'bees' }]
  if (/chat\/completions$|\/sonar$/.test(path)) return { messages }
  if (/\/messages(\/|$)|\/:model\{\.\+\}$/.test(path)) {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    return { model: 'claude-sonnet-4-5', max_tokens: 100, messages, tools }
  }
  if (path.endsWith('/models/:id{.+}'))
    return { contents: [{ parts: [{ text: 'bees' }] }], tools: [{ googleSearch: {} }] }
  if (/\/(responses|agent)$/.test(path)) return { input: 'bees', tools: [{ type: 'web_search' }] }
  if (path.endsWith('/execute')) {
    return { request: { query: 'bees', history: [], want: 'results', effort: 'fast', filters: {} } }
  }
  if (path.startsWith('/searxng') || path.startsWith('/v1/searxng')) return { q: 'bees', format: 'json' }
  if (path.startsWith('/linkup')) return { q: 'bees', outputType: 'searchResults' }
  if (path.endsWith('/alpha/search')) return { commands: { search_query: [{ q: 'bees' }] } }
  if (path.endsWith('/findSimilar')) return { url: 'https://bees.example/' }
  if (path.startsWith('/parallel')) return { search_queries: ['bees'] }
  return { q: 'bees', query: 'bees' }
}

function queryFor(path: string): string {
  if (path.endsWith('/summarizer/search')) return new URLSearchParams({ key: '{"q":"bees"}' }).toString()
  return path.includes('/local/') ? 'q=bees&ids=1' : 'q=bees&format=json'
}
