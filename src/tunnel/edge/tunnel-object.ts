import { DurableObject } from 'cloudflare:workers'
import { callerHeader, isPassedOn } from '../../executor/wire/headers.ts'
import { isLogin, type LoginRefusal, minSecretLength, verifyLogin } from '../login.ts'
import { closeCodes, type HeaderPair, maxRequestBytes, ping, pingIntervalMs, pong } from '../protocol.ts'
import type { TunnelStatus } from '../status.ts'
import { attachmentFor, ConnectedHome, type Offer } from './connected-home.ts'
import { NotServed } from './edge-stream.ts'
import { Nonces } from './nonces.ts'
import type { EdgeSocket, ObjectState } from './platform.ts'
import { refuseHome, tunnelFailure } from './tunnel-failure.ts'

export interface TunnelEnvironment {
  /** The same as at home. */
  readonly CSP_CONNECT_SECRET?: string | undefined
}

/**
 * Where homes are connected. A request to `/__connect` is a home's: it checks the login itself, so that nothing relies
 * on who forwarded it. `/__status` tells who is there. Anything else goes to the home that is least busy, and to the next
 * one as long as no reply has begun. Sleeps while nothing is under way, with the sockets left open.
 *
 * What belongs to the same object may extend it: `fetch` takes every request first.
 */
export class TunnelObject extends DurableObject<TunnelEnvironment> {
  /** How long a home may take to say that it takes a request. */
  protected readonly acceptTimeoutMs: number = 3000
  readonly #nonces: Nonces
  readonly #homes = new Map<EdgeSocket, ConnectedHome>()
  #watching: ReturnType<typeof setInterval> | undefined

  constructor(ctx: ObjectState, env: TunnelEnvironment) {
    super(ctx, env)
    this.#nonces = new Nonces(ctx.storage.sql)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(ping, pong))
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (pathname === '/__connect') return this.#connect(request)
    if (pathname === '/__status') return Response.json(this.#status())
    const body = request.method === 'GET' ? undefined : await request.text()
    if (body && body.length > maxRequestBytes) return tunnelFailure('too-large')
    const method = request.method === 'GET' ? 'GET' : 'POST'
    return this.#forward(
      { method, path: `${pathname}${search}`, headers: pairsOf(request.headers), body },
      request.signal,
    )
  }

  webSocketMessage(socket: EdgeSocket, message: string | ArrayBuffer): void {
    if (socket.readyState !== WebSocket.OPEN) return
    const home = this.#homeOf(socket)
    const problem = home.take(message, Date.now())
    if (problem !== undefined) home.dismiss(closeCodes.protocol, `Home sent ${problem}.`)
  }

  webSocketClose(socket: EdgeSocket, code: number): void {
    this.#forget(socket)
    try {
      socket.close(code === 1005 || code === 1006 ? 1000 : code, '')
    } catch {
      // It is closed on this side as well.
    }
  }

  webSocketError(socket: EdgeSocket): void {
    this.#forget(socket)
  }

  async #connect(request: Request): Promise<Response> {
    const secret = this.env.CSP_CONNECT_SECRET ?? ''
    if (secret.length < minSecretLength) return tunnelFailure('no-secret')
    const now = Date.now()
    const login = await verifyLogin(secret, request.headers.get('authorization'), now)
    if (!isLogin(login)) return refuseHome(login)
    if (!this.#nonces.spend(login.nonce, login.expiresAt, now)) return refuseHome(replayed)
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return tunnelFailure('upgrade')
    for (const home of this.#connected()) {
      if (home.name === login.home) home.dismiss(closeCodes.replaced, 'The same home has connected anew.')
    }
    if (this.#connected().length >= maxHomes) return tunnelFailure('too-many-homes')
    const { 0: client, 1: server } = new WebSocketPair()
    server.serializeAttachment(attachmentFor(login, now))
    this.ctx.acceptWebSocket(server, [login.home])
    // `webSocket` is workerd's own.
    return new Response(null, { status: 101, webSocket: client } as ResponseInit)
  }

  async #forward(offer: Offer, signal: AbortSignal): Promise<Response> {
    const tried = new Set<ConnectedHome>()
    const reasons = new Set<NotServed['reason']>()
    for (;;) {
      if (signal.aborted) return tunnelFailure('cancelled')
      const { home, isFull } = this.#choose(tried)
      if (isFull) reasons.add('busy')
      if (!home && reasons.has('busy')) return tunnelFailure('busy')
      if (!home) return tunnelFailure(tried.size > 0 || this.#connected().length > 0 ? 'lost' : 'no-home')
      tried.add(home)
      try {
        return await this.#offer(home, offer, signal)
      } catch (error) {
        if (!(error instanceof NotServed)) return tunnelFailure('failed')
        reasons.add(error.reason)
      }
    }
  }

  async #offer(home: ConnectedHome, offer: Offer, signal: AbortSignal): Promise<Response> {
    this.#watch()
    const askedAt = Date.now()
    const stream = home.offer(offer)
    const leave = () => stream.leave()
    signal.addEventListener('abort', leave, { once: true })
    const timer = setTimeout(() => {
      home.suspect(Date.now())
      stream.leave()
    }, this.acceptTimeoutMs)
    try {
      await stream.accepted.promise
      clearTimeout(timer)
      home.roundTripMs = Date.now() - askedAt
      return await stream.reply.promise
    } finally {
      clearTimeout(timer)
    }
  }

  /** The least busy home that has room; those that owe an answer are passed over. */
  #choose(tried: ReadonlySet<ConnectedHome>): { home: ConnectedHome | undefined; isFull: boolean } {
    const willing = this.#connected().filter((home) => !tried.has(home) && !home.isDraining && !home.isSilent)
    const free = willing.filter((home) => home.running < home.capacity)
    const home = free.toSorted((a, b) => a.load - b.load || a.connectedAt - b.connectedAt)[0]
    return { home, isFull: free.length < willing.length }
  }

  /** The homes whose sockets are open. Who has not been heard of for long is sent away first. */
  #connected(): readonly ConnectedHome[] {
    const open = this.ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
    for (const socket of this.#homes.keys()) if (!open.includes(socket)) this.#forget(socket)
    return open
      .map((socket) => this.#homeOf(socket))
      .filter((home) => {
        const isAlive = Date.now() - home.lastSeenAt < maxSilenceMs
        if (!isAlive) home.dismiss(closeCodes.silent, 'Home has not been heard of.')
        return isAlive
      })
  }

  #status(): TunnelStatus {
    const oldestFirst = this.#connected().toSorted((a, b) => a.connectedAt - b.connectedAt)
    const homes = oldestFirst.map((home) => ({
      name: home.name,
      connectedSince: new Date(home.connectedAt).toISOString(),
      lastSeen: new Date(home.lastSeenAt).toISOString(),
      running: home.running,
      capacity: home.capacity,
      draining: home.isDraining,
      silent: home.isSilent,
      roundTripMs: home.roundTripMs,
    }))
    return { homes }
  }

  /** While requests are under way, looks for homes that froze; then lets the object sleep again. */
  #watch(): void {
    this.#watching ??= setInterval(() => {
      if (this.#connected().some(({ running }) => running > 0)) return
      clearInterval(this.#watching)
      this.#watching = undefined
    }, watchIntervalMs)
  }

  #homeOf(socket: EdgeSocket): ConnectedHome {
    const known = this.#homes.get(socket)
    if (known) return known
    const home = new ConnectedHome(socket, () => this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0)
    this.#homes.set(socket, home)
    return home
  }

  #forget(socket: EdgeSocket): void {
    this.#homes.get(socket)?.lose()
    this.#homes.delete(socket)
  }
}

/** What goes on to a home: no keys, and nothing that it would not take. */
function pairsOf(headers: Headers): HeaderPair[] {
  return [...headers].filter(
    ([name, value]) =>
      (name === callerHeader || isPassedOn(name)) && /^[a-z0-9-]{1,100}$/.test(name) && value.length <= 8192,
  )
}

const replayed: LoginRefusal = { code: 'replayed', message: 'The login has been used before.' }

const maxHomes = 32
const maxSilenceMs = 3 * pingIntervalMs
const watchIntervalMs = 5000

/** Globals of workerd. */
declare const WebSocketPair: new () => { readonly 0: EdgeSocket; readonly 1: EdgeSocket }
declare const WebSocketRequestResponsePair: new (request: string, response: string) => unknown
