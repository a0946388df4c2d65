import { print } from './lines.ts'

interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: object
}

/** What the host's server of tools answers. */
interface HostReply {
  readonly result?: { readonly content?: unknown; readonly tools?: readonly Tool[] }
}

export interface HostAnswer {
  readonly request_id: string
  readonly response?: { readonly mcp_response?: HostReply }
}

/** The server of the caller's tools, which the program that started the CLI is. */
export class Host {
  readonly #waiting = new Map<string, (reply: HostReply) => void>()
  #lastId = 0
  tools: readonly Tool[] = []

  /** Has the tools of the servers with these names, and no others. */
  async use(servers: readonly string[]): Promise<void> {
    this.tools = []
    if (servers.length === 0) return
    const clientInfo = { name: 'claude-code', version: process.env['STAND_IN_VERSION'] }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    await this.ask({ method: 'initialize', params })
    void this.ask({ method: 'notifications/initialized' })
    this.tools = (await this.ask({ method: 'tools/list' })).result?.tools ?? []
  }

  /** Sends a message to the server, and waits for its answer. */
  ask(message: object, signal?: AbortSignal): Promise<HostReply> {
    const id = crypto.randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<HostReply>()
    this.#waiting.set(id, resolve)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    const sent = { jsonrpc: '2.0', id: this.#lastId++, ...message }
    const request = { subtype: 'mcp_message', server_name: 'client', message: sent }
    print({ type: 'control_request', request_id: id, request })
    return promise
  }

  settle({ request_id: id, response }: HostAnswer): void {
    this.#waiting.get(id)?.(response?.mcp_response ?? {})
    this.#waiting.delete(id)
  }
}
