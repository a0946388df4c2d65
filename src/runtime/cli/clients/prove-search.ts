import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ClientAddress } from '../../../page/client-snippets.ts'
import { version } from '../../version.ts'

/** Whether a client that is configured this way will find anything, in words. */
export interface Proof {
  readonly ok: boolean
  readonly text: string
}

/**
 * Makes one search as an MCP client does, by the address and key of its configuration. It counts towards the plan. Never
 * throws.
 */
export async function proveSearch({ url, key }: ClientAddress): Promise<Proof> {
  const client = new Client({ name: 'csp-setup', version })
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {}
  const began = performance.now()
  try {
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
    await client.connect(transport, { timeout: deadlineMs })
    const call = { name: 'web_search', arguments: { query, count: 3 } }
    const { content, isError } = await client.callTool(call, undefined, { timeout: deadlineMs })
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    if (!isError) return { ok: true, text: `A search through it works: "${query}" in ${seconds} s.` }
    const [said] = Array.isArray(content) ? content : []
    return { ok: false, text: `A search through it failed: ${said?.type === 'text' ? said.text.slice(0, 500) : ''}` }
  } catch (error) {
    const status = error instanceof Error && 'code' in error ? error.code : undefined
    if (status === 401) return { ok: false, text: `csp wants a key at ${url}. Make one: csp keys add NAME` }
    return { ok: false, text: `csp does not answer at ${url}. Start it: csp start` }
  } finally {
    await client.close().catch(() => {})
  }
}

const query = 'latest stable release of Node.js'
const deadlineMs = 60_000
