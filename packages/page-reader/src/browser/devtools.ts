import { get, type IncomingMessage } from 'node:http'
import { deferred } from '@csp/lib/deferred'
import { parseJson } from '@csp/lib/json'
import { z } from 'zod'

/** An event of the browser, of the tab with this session if it belongs to one. */
export interface DevToolsEvent {
  readonly method: string
  readonly params: unknown
  readonly sessionId?: string | undefined
}

/** A browser that cannot be used, in words for the operator. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
}

/** What a browser says of itself. */
export interface BrowserVersion {
  /** `Chrome/140.0.0.0` */
  readonly name: string
  readonly userAgent: string
  /** Where it takes connections. */
  readonly socket: URL
}

/** Asks the browser at an address of the DevTools protocol what it is. Throws a `BrowserError`. */
export async function browserVersion(address: string, signal: AbortSignal): Promise<BrowserVersion> {
  const { host } = new URL(address)
  const { promise, resolve, reject } = deferred<IncomingMessage>()
  // Not `fetch`, which would ask a proxy of the environment.
  get(new URL('/json/version', address), { agent: false, signal }, resolve).on('error', reject)
  let text = ''
  try {
    for await (const chunk of await promise) {
      text += String(chunk)
      if (text.length > maxVersionLength) break
    }
  } catch (cause) {
    throw new BrowserError(`there is no browser at ${host}`, { cause })
  }
  const said = versionSchema.safeParse(parseJson(text)).data
  if (!said) throw new BrowserError(`the server at ${host} does not speak the DevTools protocol`)
  const socket = new URL(new URL(said.webSocketDebuggerUrl).pathname, address)
  socket.protocol = 'ws:'
  return { name: said.Browser, userAgent: said['User-Agent'], socket }
}

const maxVersionLength = 100_000

const versionSchema = z.object({
  Browser: z.string().max(200),
  'User-Agent': z.string().max(1000),
  webSocketDebuggerUrl: z.url(),
})

/** A connection to a browser. What it has made in the browser ends with it. */
export class DevTools {
  onEvent: (event: DevToolsEvent) => void = () => {}
  onEnd: (error: BrowserError) => void = () => {}
  /** Settles when the connection is there. */
  readonly ready: Promise<void>
  readonly #socket: WebSocket
  readonly #calls = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  #lastId = 0

  constructor(address: URL) {
    const socket = new WebSocket(address)
    this.#socket = socket
    const { promise, resolve, reject } = deferred<void>()
    this.ready = promise
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new BrowserError('the browser refuses the connection')))
    socket.addEventListener('message', ({ data }) => this.#take(messageSchema.safeParse(parseJson(String(data))).data))
    socket.addEventListener('close', () => this.#end())
  }

  /** The result of a command. Throws a `BrowserError`. */
  async call(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    if (this.#socket.readyState !== WebSocket.OPEN) throw gone()
    const id = ++this.#lastId
    const { promise, resolve, reject } = deferred<unknown>()
    this.#calls.set(id, { resolve, reject })
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    return promise
  }

  /** Closes the connection. Open calls reject with a `BrowserError`. */
  close(): void {
    this.#socket.close()
    this.#end()
  }

  #take(message: z.infer<typeof messageSchema> | undefined): void {
    const { id = 0, method, params, sessionId, result, error } = message ?? {}
    if (method !== undefined) this.onEvent({ method, params, sessionId })
    const call = this.#calls.get(id)
    this.#calls.delete(id)
    if (error) call?.reject(new BrowserError(`the browser refuses a command: ${error.message}`))
    else call?.resolve(result)
  }

  #end(): void {
    for (const { reject } of this.#calls.values()) reject(gone())
    this.onEnd(gone())
  }
}

function gone(): BrowserError {
  return new BrowserError('the browser has ended')
}

const messageSchema = z.object({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  sessionId: z.string().optional(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
})
