import type { TunnelHealth } from '../../../api/endpoints/health.ts'
import { pause, whenAborted } from '../../../lib/abort.ts'
import { jitteredMs } from '../../../lib/back-off.ts'
import { signLogin } from '../../../tunnel/login.ts'
import { connectPath, protocolVersion } from '../../../tunnel/protocol.ts'
import { type HomeConnection, type HomeConnectionOptions, openConnection } from './home-connection.ts'
import { type EdgeRefusal, refusalOf } from './refusal-of.ts'

export interface ConnectHomeOptions
  extends Pick<HomeConnectionOptions, 'handler' | 'capacity' | 'pingIntervalMs' | 'answerTimeoutMs'> {
  /** The edge, `https://…`, without a slash at the end. */
  readonly url: string
  /** The same as on the edge, 16 characters or more. */
  readonly secret: string
  /** What the edge calls this home. */
  readonly home: string
  readonly onState?: ((state: LinkState) => void) | undefined
  /** 0 to 1, for the back-off. */
  readonly random?: (() => number) | undefined
}

/** Where a link stands. */
export type LinkState =
  | { readonly name: 'connecting' }
  | { readonly name: 'connected' }
  /** The first answer to a ping. */
  | { readonly name: 'measured'; readonly roundTripMs: number }
  | { readonly name: 'lost'; readonly reason: string; readonly retryInMs: number }
  | { readonly name: 'refused'; readonly refusal: EdgeRefusal; readonly retryInMs: number }
  /** Final: another csp has connected as the same home. */
  | { readonly name: 'replaced' }
  /** Final. */
  | { readonly name: 'stopped' }

/** A home's link to its edge, which mends itself. */
export interface HomeLink {
  status(): TunnelHealth
  /** Settles at the end, which only `stop` and being replaced bring about. */
  readonly ended: Promise<void>
  /** Takes nothing new, waits for what runs until the signal aborts, and ends. */
  stop(signal: AbortSignal): Promise<void>
}

/** Connects a home to its edge, and again whenever the connection is lost: within a second at first, later every half minute. */
export function connectHome(options: ConnectHomeOptions): HomeLink {
  const link = new Link(options)
  return { status: () => link.status(), ended: link.run(), stop: (signal) => link.stop(signal) }
}

class Link {
  readonly #options: ConnectHomeOptions
  readonly #stopping = new AbortController()
  #connection: HomeConnection | undefined
  #connectedAt: Date | undefined
  #roundTripMs: number | undefined
  #served = 0
  #lastError: string | undefined
  /** Dials in a row that came to little. */
  #failures = 0

  constructor(options: ConnectHomeOptions) {
    this.#options = options
  }

  status(): TunnelHealth {
    const { url, home } = this.#options
    return {
      url,
      home,
      connected: this.#connectedAt !== undefined,
      connectedSince: this.#connectedAt?.toISOString(),
      roundTripMs: this.#connectedAt && this.#roundTripMs,
      running: this.#connection?.server.running ?? 0,
      served: this.#served,
      lastError: this.#lastError,
    }
  }

  async run(): Promise<void> {
    const stopping = this.#stopping.signal
    while (!stopping.aborted) {
      const retryInMs = await this.#once()
      if (retryInMs === undefined) return
      await pause(retryInMs, stopping)
    }
    this.#tell({ name: 'stopped' })
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#stopping.abort()
    const connection = this.#connection
    if (!connection) return
    await Promise.race([connection.server.drain(), connection.ended, whenAborted(signal)])
    if (signal.aborted) connection.cut()
    else connection.close()
    await connection.ended
  }

  /** One connection, to its end. Gives when to dial again, or nothing where that would be wrong. */
  async #once(): Promise<number | undefined> {
    this.#tell({ name: 'connecting' })
    const connection = openConnection({
      ...this.#options,
      url: `${this.#options.url.replace(/^http/, 'ws')}${connectPath}`,
      authorization: await this.#login(),
      onOpen: () => this.#opened(),
      onRoundTrip: (milliseconds) => this.#measured(milliseconds),
      onEnd: () => this.#served++,
    })
    this.#connection = connection
    if (this.#stopping.signal.aborted) connection.cut()
    const { opened, isReplaced, reason } = await connection.ended
    const stayedMs = this.#connectedAt ? Date.now() - this.#connectedAt.getTime() : 0
    this.#connection = undefined
    this.#connectedAt = undefined
    this.#roundTripMs = undefined
    if (this.#stopping.signal.aborted) return 0
    this.#lastError = reason
    if (isReplaced) {
      this.#tell({ name: 'replaced' })
      return undefined
    }
    this.#failures = stayedMs > stableMs ? 0 : this.#failures + 1
    const refusal = opened ? undefined : await refusalOf(this.#options.url, await this.#login())
    return refusal ? this.#refused(refusal) : this.#lost(reason)
  }

  #opened(): void {
    this.#connectedAt = new Date()
    this.#tell({ name: 'connected' })
  }

  #measured(milliseconds: number): void {
    const isFirst = this.#roundTripMs === undefined
    this.#roundTripMs = Math.round(milliseconds * 10) / 10
    if (isFirst) this.#tell({ name: 'measured', roundTripMs: this.#roundTripMs })
  }

  #refused(refusal: EdgeRefusal): number {
    this.#lastError = refusal.message
    const retryInMs = patientPauses.maxMs
    this.#tell({ name: 'refused', refusal, retryInMs })
    return retryInMs
  }

  /** Full jitter, so that not all homes of an edge come back at once. */
  #lost(reason: string): number {
    const isEager = this.#failures <= eagerDials
    const { random } = this.#options
    const retryInMs = Math.round(
      isEager
        ? jitteredMs(this.#failures, eagerPauses, random)
        : jitteredMs(this.#failures - eagerDials, patientPauses, random),
    )
    this.#tell({ name: 'lost', reason, retryInMs })
    return retryInMs
  }

  #login(): Promise<string> {
    const { secret, home, capacity } = this.#options
    return signLogin(secret, { home, capacity, version: protocolVersion })
  }

  #tell(state: LinkState): void {
    this.#options.onState?.(state)
  }
}

/** An edge that is deployed again is back within seconds: this many dials wait no longer than a second. */
const eagerDials = 30
const eagerPauses = { firstMs: 250, maxMs: 1000 }
const patientPauses = { firstMs: 1000, maxMs: 30_000 }
/** A connection that stayed so long was a good one. */
const stableMs = 5000
