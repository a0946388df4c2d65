import { type Search, webSearch } from './api.ts'
import { lines, print } from './lines.ts'

/** `claude mcp serve`, with its WebSearch alone. */
export async function serve(): Promise<void> {
  const running = new Map<unknown, AbortController>()
  for await (const line of lines()) {
    const { id, method, params = {} } = JSON.parse(line)
    if (method === 'notifications/cancelled') running.get(params.requestId)?.abort()
    if (id === undefined) continue
    if (method !== 'tools/call') print({ jsonrpc: '2.0', id, ...answer(method, params.protocolVersion) })
    else void call(id, params.arguments)
  }
  process.exit(0)

  async function call(id: unknown, search: Search) {
    const controller = new AbortController()
    running.set(id, controller)
    const { signal } = controller
    const content = (text: string) => [{ type: 'text', text }]
    const result = await webSearch(
      search,
      { client: 'mcp', session, signal },
      process.env['ANTHROPIC_MODEL'] ?? 'sonnet',
    )
      .then((output) => ({ content: content(JSON.stringify(output)) }))
      .catch((error: Error) => ({ content: content(error.message), isError: true }))
    running.delete(id)
    if (!signal.aborted) print({ jsonrpc: '2.0', id, result })
  }
}

const session = crypto.randomUUID()

function answer(method: string, protocolVersion: string): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'claude/tengu', version: process.env['STAND_IN_VERSION'] },
        },
      }
    case 'tools/list':
      return { result: { tools: [tool] } }
    case 'ping':
      return { result: {} }
    default:
      return { error: { code: -32601, message: 'Method not found' } }
  }
}

const domains = { type: 'array', items: { type: 'string' } }
const tool = {
  name: 'WebSearch',
  description: 'Allows Claude to search the web and use the results to inform responses',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', minLength: 2 }, allowed_domains: domains, blocked_domains: domains },
    required: ['query'],
    additionalProperties: false,
  },
}
