import { pause, whenAborted } from '@csp/lib/abort'
import { jitteredMs } from '@csp/lib/back-off'
import type { TunnelHealth } from '../../../api/endpoints/health-rows.ts'
import { signLogin } from '../../../tunnel/login.ts'
import { connectPath, protocolVersion } from '../../../tunnel/protocol.ts'
import {
  type EdgeRefusal,
  type HomeConnection,
  type HomeConnectionOptions,
  openConnection,
  refusalOf,
} from './home-connection.ts'

export interface ConnectHomeOptions
  extends Pick<
    HomeConnectionOptions,
    'handler' | 'capacity' | 'state' | 'headers' | 'proxy' | 'pingIntervalMs' | 'answerTimeoutMs'
  > {
  /** How many requests it works on at the same time. Absent: as many as its capacity. */
  readonly workers?: number | undefined
  /** The URL of the edge, without a slash at the end. */
  readonly url: string
  /** The same as on the edge. */
  readonly secret: string
  /** The name of this home. */
  readonly home: string
  readonly onState?: ((state: LinkState) => void) | undefined
  /** Returns 0 to 1, for the jitter. */
  readonly random?: (() => number) | undefined
}

/** The state of a link. */
export type LinkState =
  | { readonly name: 'connecting' }
  | { readonly name: 'connected' }
  /** The first ping was answered. */
  | { readonly name: 'measured'; readonly roundTripMs: number }
  | { readonly name: 'lost'; readonly reason: string; readonly retryInMs: number }
  | { readonly name: 'refused'; readonly refusal: EdgeRefusal; readonly retryInMs: number }
  /** Final: another csp connected with the same home name. */
  | { readonly name: 'replaced' }
  /** Final. */
  | { readonly name: 'stopped' }

/** A home's link to its edge. It reconnects automatically. */
export interface HomeLink {
  status(): TunnelHealth
  /** Settles after `stop`, or when the home was replaced. */
  readonly ended: Promise<void>
  /** Accepts no new requests, waits for running ones until the signal aborts, and disconnects. */
  stop(signal: AbortSignal): Promise<void>
}

/**
 * Connects a home to its edge and reconnects when the connection is lost: within 1 s at first, later within 30 s. An edge
 * that was never there is asked less and less often from the first failure on.
 */
export function connectHome(options: ConnectHomeOptions): HomeLink {
  const link = new Link(options)
  return { status: () => link.status(), ended: link.run(), stop: (signal) => link.stop(signal) }
}

class Link {
  readonly #options: ConnectHomeOptions
  readonly #stopping = new AbortController()
  #connection: HomeConnection | undefined
  #connectedAt: Date | undefined
  #hasConnected = false
  #roundTripMs: number | undefined
  #served = 0
  #lastError: string | undefined
  /** Consecutive attempts without a stable connection. */
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
      roundTripMs: this.#roundTripMs,
      running: this.#connection?.server.running ?? 0,
      served: this.#served,
      lastError: this.#lastError,
    }
  }

  async run(): Promise<void> {
    const stopping = this.#stopping.signal
    while (!stopping.aborted) {
      const retryInMs = await this.#connectOnce()
      if (retryInMs === undefined) return
      await pause(retryInMs, stopping)
    }
    this.#report({ name: 'stopped' })
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

  /** Runs one connection to its end. Returns when to reconnect; `undefined`: never. */
  async #connectOnce(): Promise<number | undefined> {
    this.#report({ name: 'connecting' })
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
      this.#report({ name: 'replaced' })
      return undefined
    }
    this.#failures = stayedMs > stableMs ? 0 : this.#failures + 1
    const refusal = opened ? undefined : await refusalOf({ ...this.#options, authorization: await this.#login() })
    if (typeof refusal !== 'object') return this.#lost(refusal ?? reason)
    return this.#refused(refusal)
  }

  #opened(): void {
    this.#connectedAt = new Date()
    this.#hasConnected = true
    this.#report({ name: 'connected' })
  }

  #measured(milliseconds: number): void {
    const isFirst = this.#roundTripMs === undefined
    this.#roundTripMs = Math.round(milliseconds * 10) / 10
    if (isFirst) this.#report({ name: 'measured', roundTripMs: this.#roundTripMs })
  }

  #refused(refusal: EdgeRefusal): number {
    this.#lastError = refusal.message
    const retryInMs = patientPauses.maxMs
    this.#report({ name: 'refused', refusal, retryInMs })
    return retryInMs
  }

  /** Full jitter, so that the homes of an edge do not all reconnect at once. */
  #lost(reason: string): number {
    this.#lastError = reason
    const eager = this.#hasConnected ? eagerAttempts : 0
    const { random } = this.#options
    const retryInMs = Math.round(
      this.#failures <= eager
        ? jitteredMs(this.#failures, eagerPauses, random)
        : jitteredMs(this.#failures - eager, patientPauses, random),
    )
    this.#report({ name: 'lost', reason, retryInMs })
    return retryInMs
  }

  #login(): Promise<string> {
    const { secret, home, capacity, workers, url } = this.#options
    return signLogin(secret, { home, capacity, workers, version: protocolVersion, edge: new URL(url).host })
  }

  #report(state: LinkState): void {
    this.#options.onState?.(state)
  }
}

/** An edge that was there is back within seconds of a deployment, so the first attempts wait at most a second. */
const eagerAttempts = 30
const eagerPauses = { firstMs: 250, maxMs: 1000 }
const patientPauses = { firstMs: 1000, maxMs: 30_000 }
/** A connection that lasts this long resets the back-off. */
const stableMs = 5000
