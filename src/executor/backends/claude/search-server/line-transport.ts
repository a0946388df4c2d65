import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { parseJson } from '../../../../lib/json.ts'
import { type Exit, type LineProcess, type ProcessOptions, startProcess } from '../cli/process.ts'

/** MCP's stdio transport over a process of ours, so that it is started and ended as our other processes are. */
export class LineTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  /** Called for each message, before it is read. */
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

  /** Settles once the process is gone; tells how it ended, if it ever started. */
  async stop(): Promise<Exit | undefined> {
    return this.#process?.stop()
  }

  #receive(line: string): void {
    const message = JSONRPCMessageSchema.safeParse(parseJson(line))
    if (!message.success) {
      this.onerror?.(new Error('A line that is no JSON-RPC message.', { cause: message.error }))
      return
    }
    this.onheard?.()
    this.onmessage?.(message.data)
  }
}
