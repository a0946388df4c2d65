import { isObject, parseJson } from '@csp/lib/json'
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { abortError } from '../../../../domain/abort.ts'
import { SearchError } from '../../../../domain/error.ts'
import { explainFailure } from '../cli/errors.ts'
import { Liveness } from '../cli/liveness.ts'
import { type Exit, type LineProcess, type ProcessOptions, startProcess } from '../cli/process.ts'
import { type ToolOutput, toolOutputSchema } from '../search-output.ts'

export interface DirectSearch {
  readonly query: string
  /** Not both lists: the tool rejects that. */
  readonly includeDomains?: readonly string[] | undefined
  readonly excludeDomains?: readonly string[] | undefined
}

export interface SearchServerOptions {
  readonly process: Omit<ProcessOptions, 'onLine'>
  /** The version of csp, sent to the server. */
  readonly version: string
  /** Called once when it has ended, for any reason. */
  readonly onGone: () => void
  /** Cancels the start. */
  readonly signal?: AbortSignal | undefined
  /** See `Liveness`. */
  readonly livenessMs?: number | undefined
}

/**
 * One `claude mcp serve`. Its tools act on this machine without asking, so `search` is the only method that calls one,
 * and it calls only WebSearch.
 */
export class SearchServer {
  readonly #client: Client
  readonly #transport: LineTransport
  /** The input schema of WebSearch; absent if it is not offered. */
  readonly #schema: unknown
  readonly #liveness: Liveness
  #running = 0
  #served = 0
  #retiring = false

  /** Starts the process and lists its tools. If it is killed meanwhile, it is started once more. */
  static async start(options: SearchServerOptions, isSecond = false): Promise<SearchServer> {
    const client = new Client({ name: 'claude-search-proxy', version: options.version })
    const transport = new LineTransport(options.process)
    const call = { timeout: startTimeoutMs, ...(options.signal && { signal: options.signal }) }
    try {
      await client.connect(transport, call)
      const { tools } = await client.request({ method: 'tools/list' }, call)
      client.onclose = options.onGone
      const webSearch = tools.find(({ name }) => name === 'WebSearch')
      return new SearchServer(client, transport, webSearch?.inputSchema, options.livenessMs)
    } catch (error) {
      const exit = await transport.stop()
      if (exit?.signal && !exit.reason && !isSecond) return SearchServer.start(options, true)
      throw new SearchError('unavailable', 'The Claude CLI does not start as a search server.', {
        cause: exit?.stderr || error,
      })
    }
  }

  private constructor(client: Client, transport: LineTransport, schema: unknown, livenessMs: number | undefined) {
    this.#client = client
    this.#transport = transport
    this.#schema = schema
    const ask = () => client.ping({ timeout: callTimeoutMs })
    // MCP requires every server to answer a ping.
    this.#liveness = new Liveness({
      ask,
      onSilence: () => void this.stop(),
      everyMs: livenessMs,
      isKnownToAnswer: true,
    })
    transport.onheard = () => this.#liveness.heard()
  }

  get offersSearch(): boolean {
    return this.#schema !== undefined
  }

  get alive(): boolean {
    return this.#transport.running
  }

  get running(): number {
    return this.#running
  }

  /** Whether it stops as soon as nothing runs on it. */
  get isRetiring(): boolean {
    return this.#retiring
  }

  get served(): number {
    return this.#served
  }

  /** One model call. Throws a `SearchError`; an abort cancels this call on the server, and the others continue. */
  async search(search: DirectSearch, signal: AbortSignal, now: Date): Promise<ToolOutput> {
    this.#running++
    this.#served++
    this.#liveness.begin()
    try {
      // Not `callTool`, which also wants structured content of a tool that declares some: of some CLIs, WebSearch never has it.
      const call = { method: 'tools/call', params: toToolCall(search, this.#schema) } as const
      const reply = await this.#client.request(call, z.unknown(), { signal, timeout: callTimeoutMs })
      return readReply(reply, now)
    } catch (error) {
      if (signal.aborted) throw abortError(signal)
      if (error instanceof SearchError) throw error
      throw new SearchError('unavailable', 'The Claude search server ended in the middle of a search.', {
        cause: error,
      })
    } finally {
      this.#running--
      this.#liveness.end()
      if (this.#retiring && this.#running === 0) void this.stop()
    }
  }

  /** Stops as soon as nothing runs on it. */
  retire(): void {
    this.#retiring = true
    if (this.#running === 0) void this.stop()
  }

  async stop(): Promise<void> {
    await this.#transport.stop()
  }
}

const startTimeoutMs = 15_000
const callTimeoutMs = 3_600_000 // the deadline is the caller's signal

/** Some versions and accounts have modes: without one, a search is the one that costs several times as much. */
function toToolCall({ query, includeDomains, excludeDomains }: DirectSearch, schema: unknown) {
  const domains = includeDomains?.length
    ? { allowed_domains: includeDomains }
    : excludeDomains?.length && { blocked_domains: excludeDomains }
  const mode = withStandardMode.safeParse(schema).success && { mode: 'standard' }
  return { name: 'WebSearch', arguments: { query, ...domains, ...mode } }
}

const withStandardMode = z.object({
  properties: z.object({
    mode: z.object({ enum: z.array(z.unknown()).refine((modes) => modes.includes('standard')) }),
  }),
})

const replySchema = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).min(1),
  isError: z.boolean().default(false),
})

function readReply(reply: unknown, now: Date): ToolOutput {
  const parsed = replySchema.safeParse(reply)
  const text = parsed.data?.content[0]?.text
  if (text === undefined) throw unreadable(parsed.error)
  if (parsed.data?.isError) throw explainFailure({ text }, now)
  try {
    return toolOutputSchema.parse(JSON.parse(text))
  } catch (error) {
    throw unreadable(error)
  }
}

function unreadable(cause: unknown): SearchError {
  return new SearchError('failed', 'The Claude search server sent a reply that csp does not understand.', { cause })
}

/** MCP's stdio transport over `startProcess`, so that this process starts and ends like the others. */
class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** Called for each message, before it is processed. */
  onheard?: () => void
  readonly #options: Omit<ProcessOptions, 'onLine'>
  #process: LineProcess | undefined

  constructor(options: Omit<ProcessOptions, 'onLine'>) {
    this.#options = options
  }

  get running(): boolean {
    return this.#process?.running ?? false
  }

  async start(): Promise<void> {
    this.#process = startProcess({ ...this.#options, onLine: (line) => this.#receive(line) })
    void this.#process.exited.then(() => this.onclose?.())
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#process?.write(JSON.stringify(message))
  }

  async close(): Promise<void> {
    await this.stop()
  }

  /** Settles once the process is gone. Returns how it ended, if it was started. */
  async stop(): Promise<Exit | undefined> {
    return this.#process?.stop()
  }

  #receive(line: string): void {
    const message = parseJson(line)
    if (!isMessage(message)) {
      this.onerror?.(new Error('A line is not a JSON-RPC message.'))
      return
    }
    this.onheard?.()
    this.onmessage?.(message)
  }
}

/** The client itself tells requests, replies and notifications apart, and reports what is none of them. */
function isMessage(message: unknown): message is JSONRPCMessage {
  return isObject(message) && message['jsonrpc'] === '2.0'
}
