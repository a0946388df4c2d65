import { closedError, interruptible } from '../../../../domain/abort.ts'
import { SearchError } from '../../../../domain/error.ts'
import type { ProcessOptions } from '../cli/process.ts'
import type { ToolOutput } from '../search-output.ts'
import { type DirectSearch, SearchServer } from './server.ts'

export interface DirectOptions {
  /** Called when the process starts and ends. */
  readonly log?: ((message: string) => void) | undefined
  /** How to start the process; called for each start. */
  readonly process: () => Omit<ProcessOptions, 'onLine'>
  /** The version of csp, sent to the server. */
  readonly version: string
  /** The process is stopped after this time without a search, in ms. */
  readonly idleMs: number
  /** The process is replaced after this many searches, since its memory grows. */
  readonly maxSearches: number
  readonly now: () => Date
  /** See `Liveness`. */
  readonly livenessMs?: number | undefined
}

/** The direct engine: WebSearch called over MCP on one long-lived CLI, many calls at once. */
export class DirectEngine {
  readonly #options: DirectOptions
  readonly #servers = new Set<SearchServer>()
  #current: Promise<SearchServer> | undefined
  #ready: SearchServer | undefined
  readonly #closing = new AbortController()
  #idle: ReturnType<typeof setTimeout> | undefined

  constructor(options: DirectOptions) {
    this.#options = options
  }

  /** One search: one model call. A call that fails because the process ended is repeated once. */
  async search(search: DirectSearch, signal: AbortSignal): Promise<ToolOutput> {
    for (let attempt = 1; ; attempt++) {
      let server = await interruptible(this.#server(), signal)
      // Others may let it go before this search begins on it: each that learns of a lost login does.
      while (server.isRetiring) server = await interruptible(this.#server(), signal)
      if (!server.offersSearch) throw new SearchError('unavailable', 'This Claude CLI offers no WebSearch over MCP.')
      clearTimeout(this.#idle)
      try {
        const output = await server.search(search, signal, this.#options.now())
        // The budget is the process's: the next search gets another.
        if (output.error === 'session_budget' && server === this.#ready)
          this.recycle('its budget of searches is used up')
        return output
      } catch (error) {
        if (signal.aborted || server.alive || attempt > 1) throw error
      } finally {
        this.#afterSearch(server)
      }
    }
  }

  /** Starts the process if necessary. Returns whether it offers WebSearch. */
  async warm(): Promise<boolean> {
    const server = await this.#server()
    this.#armIdleTimer()
    return server.offersSearch
  }

  get state(): string {
    if (!this.#ready) return this.#current ? 'starting' : 'stopped'
    return `ready, ${this.#ready.running} running, ${this.#ready.served} served`
  }

  /** Stops the process once nothing runs on it; the next search starts another. */
  recycle(reason?: string): void {
    if (this.#ready && reason) this.#options.log?.(`The search server is let go: ${reason}`)
    this.#ready?.retire()
    this.#ready = undefined
    this.#current = undefined
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#idle)
    await this.#current?.catch(() => {})
    await Promise.all([...this.#servers].map((server) => server.stop()))
  }

  #server(): Promise<SearchServer> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError())
    this.#current ??= this.#start()
    return this.#current
  }

  #start(): Promise<SearchServer> {
    const { version, livenessMs } = this.#options
    const { signal } = this.#closing
    const onGone = () => {
      this.#options.log?.('The search server has ended')
      this.#forget(starting)
    }
    const begin = async () =>
      SearchServer.start({ process: this.#options.process(), version, onGone, signal, livenessMs })
    const starting = begin()
    starting.then(
      (server) => {
        this.#servers.add(server)
        this.#options.log?.('The search server has started')
        if (this.#current === starting) this.#ready = server
        else server.retire() // let go while it started
      },
      () => this.#forget(starting),
    )
    return starting
  }

  #forget(starting: Promise<SearchServer>): void {
    void starting.then((server) => this.#servers.delete(server)).catch(() => {})
    if (this.#current !== starting) return
    this.#current = undefined
    this.#ready = undefined
  }

  #afterSearch(server: SearchServer): void {
    if (server === this.#ready && server.served >= this.#options.maxSearches)
      this.recycle(`it has served ${server.served} searches`)
    if (server.running === 0) this.#armIdleTimer()
  }

  #armIdleTimer(): void {
    const { idleMs } = this.#options
    clearTimeout(this.#idle)
    // A timer cannot wait for ever.
    if (!Number.isFinite(idleMs)) return
    this.#idle = setTimeout(() => this.recycle(`it was idle for ${idleMs / 1000} s`), idleMs)
    this.#idle.unref()
  }
}
