import type { EdgeSocket, ObjectState } from 'cloudflare:workers'
import { isPassedOn } from '../../executor/wire/headers.ts'
import { isLogin, type LoginRefusal, verifyLogin } from '../login.ts'
import { closeCodes, headerPairs, maxRequestBytes, objectPaths, ping, pingIntervalMs, pong } from '../protocol.ts'
import { homeSecrets, type SecretVariables } from '../secrets.ts'
import type { TunnelStatus } from '../status.ts'
import { Nonces, refuseHome, tunnelFailure } from './admission.ts'
import { attachmentFor, ConnectedHome, type Offer } from './connected-home.ts'
import { NotServed } from './request-stream.ts'

/**
 * The Durable Object that homes connect to. Homes send requests to `/__connect`; the object checks their login itself and
 * does not trust the forwarder. `/__status` lists the homes. All other requests go to the least busy home, and to the next
 * one until a reply has begun that is no refusal. While no request is running the object hibernates and the sockets stay open.
 */
export class TunnelObject {
  /** How long a home may take to accept a request. */
  protected readonly acceptTimeoutMs: number = 3000
  readonly #ctx: ObjectState
  readonly #env: SecretVariables
  readonly #nonces: Nonces
  readonly #homes = new Map<EdgeSocket, ConnectedHome>()
  #watching: ReturnType<typeof setInterval> | undefined

  constructor(ctx: ObjectState, env: SecretVariables) {
    this.#ctx = ctx
    this.#env = env
    this.#nonces = new Nonces(ctx.storage.sql)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(ping, pong))
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    if (pathname === objectPaths.connect) return this.#connect(request)
    if (pathname === objectPaths.status) return Response.json(this.#status())
    const body = request.method === 'GET' ? undefined : await request.text()
    if (body && body.length > maxRequestBytes) return tunnelFailure('too-large')
    const method = request.method === 'GET' ? 'GET' : 'POST'
    return this.#forward(
      { method, path: `${pathname}${search}`, headers: headerPairs(request.headers, isPassedOn), body },
      request.signal,
    )
  }

  webSocketMessage(socket: EdgeSocket, message: string | ArrayBuffer): void {
    if (socket.readyState !== WebSocket.OPEN) return
    const home = this.#homeOf(socket)
    const problem = home.take(message, Date.now())
    if (problem !== undefined) home.dismiss(closeCodes.protocol, `The home sent ${problem}.`)
  }

  webSocketClose(socket: EdgeSocket, code: number): void {
    this.#forget(socket)
    try {
      socket.close(code === 1005 || code === 1006 ? 1000 : code, '')
    } catch {
      // Already closed on this side.
    }
  }

  webSocketError(socket: EdgeSocket): void {
    this.#forget(socket)
  }

  async #connect(request: Request): Promise<Response> {
    const secrets = homeSecrets(this.#env)
    if (typeof secrets === 'string') return tunnelFailure(secrets)
    const now = Date.now()
    const login = await verifyLogin(secrets, request.headers.get('authorization'), new URL(request.url).host, now)
    if (!isLogin(login)) return refuseHome(login)
    if (!this.#nonces.spend(login.nonce, login.expiresAt, now)) return refuseHome(replayed)
    if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') return tunnelFailure('upgrade')
    for (const home of this.#connected()) {
      if (home.name === login.home)
        home.dismiss(closeCodes.replaced, 'A new connection of the same home replaced this one.')
    }
    if (this.#connected().length >= maxHomes) return tunnelFailure('too-many-homes')
    const { 0: client, 1: server } = new WebSocketPair()
    server.serializeAttachment(attachmentFor(login, now))
    this.#ctx.acceptWebSocket(server, [login.home])
    // `webSocket` is an extension of workerd.
    return new Response(null, { status: 101, webSocket: client } as ResponseInit)
  }

  async #forward(offer: Offer, signal: AbortSignal): Promise<Response> {
    const tried = new Set<ConnectedHome>()
    const reasons = new Set<NotServed['reason']>()
    let refused: Response | undefined
    for (;;) {
      if (signal.aborted) return tunnelFailure('cancelled')
      const { home, isFull } = this.#choose(offer, tried)
      if (isFull) reasons.add('busy')
      // What a home says of itself is worth more than that others are full.
      if (!home && refused) return refused
      if (!home && reasons.has('busy')) return tunnelFailure('busy')
      if (!home) return tunnelFailure(tried.size > 0 || this.#connected().length > 0 ? 'lost' : 'no-home')
      tried.add(home)
      try {
        const response = await this.#offer(home, offer, signal)
        if (!isRefusal(response)) {
          drop(refused)
          return response
        }
        this.#rest(home, response)
        const [sooner, later] = soonerFirst(refused, response)
        drop(later)
        refused = sooner
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
    const giveUp = () => {
      // A home that sends other replies is not frozen: its acceptance waits behind them in a full uplink.
      if (home.lastFrameAt > askedAt && Date.now() - askedAt < maxAcceptWaits * this.acceptTimeoutMs) {
        timer = setTimeout(giveUp, this.acceptTimeoutMs)
        return
      }
      home.suspect(Date.now())
      stream.leave()
    }
    let timer = setTimeout(giveUp, this.acceptTimeoutMs)
    try {
      await stream.accepted.promise
    } finally {
      clearTimeout(timer)
    }
    home.roundTripMs = Date.now() - askedAt
    return stream.reply.promise
  }

  /** Lets other homes be asked first, for as long as this one says that it cannot serve. */
  #rest(home: ConnectedHome, { status, headers }: Response): void {
    const seconds = Number(headers.get('retry-after')) || defaultRestSeconds
    const problem = status === 429 ? 'at a limit' : 'not ready'
    home.rest(Date.now() + Math.min(seconds, maxRestSeconds) * 1000, problem)
  }

  /**
   * A home that makes an equal search already, otherwise the one with the fewest requests for each worker. Homes that
   * rest come last; silent ones are skipped.
   */
  #choose(offer: Offer, tried: ReadonlySet<ConnectedHome>): { home: ConnectedHome | undefined; isFull: boolean } {
    const willing = this.#connected().filter((home) => !tried.has(home) && !home.isDraining && !home.isSilent)
    const free = willing.filter((home) => home.running < home.capacity)
    const now = Date.now()
    const rests = (home: ConnectedHome) => Number(home.problemAt(now) !== undefined)
    const [home] = free.toSorted((a, b) => rests(a) - rests(b) || a.load - b.load || a.connectedAt - b.connectedAt)
    const sharing = free.find((one) => !rests(one) && one.runs(offer))
    return { home: sharing ?? home, isFull: free.length < willing.length }
  }

  /** The homes with an open socket. Dismisses those that stopped responding. */
  #connected(): readonly ConnectedHome[] {
    const open = this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN)
    for (const socket of this.#homes.keys()) if (!open.includes(socket)) this.#forget(socket)
    return open
      .map((socket) => this.#homeOf(socket))
      .filter((home) => {
        const isAlive = Date.now() - home.lastSeenAt < maxSilenceMs
        if (!isAlive) home.dismiss(closeCodes.silent, 'The home stopped responding.')
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
      problem: home.problemAt(Date.now()),
      roundTripMs: home.roundTripMs,
    }))
    return { homes }
  }

  /** Looks for frozen homes while requests are running, then lets the object hibernate again. */
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
    const home = new ConnectedHome(socket, () => this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0)
    this.#homes.set(socket, home)
    return home
  }

  #forget(socket: EdgeSocket): void {
    this.#homes.get(socket)?.lose()
    this.#homes.delete(socket)
  }
}

const replayed: LoginRefusal = { code: 'replayed', message: 'The login has been used before.' }

/** Whether a home could not serve a request that another may serve: a limit, no login, no backend. */
function isRefusal({ status }: Response): boolean {
  return status === 429 || status === 503
}

/** The reply that lets the client come back earlier first. */
function soonerFirst(known: Response | undefined, next: Response): readonly [Response, Response | undefined] {
  if (!known) return [next, undefined]
  const waitOf = ({ headers }: Response) => Number(headers.get('retry-after')) || Number.POSITIVE_INFINITY
  return waitOf(next) < waitOf(known) ? [next, known] : [known, next]
}

/** Lets go of a reply that nobody reads. Its home may be gone, which is no failure of the next one. */
function drop(reply: Response | undefined): void {
  reply?.body?.cancel().catch(() => {})
}

/** A home is asked again after this, in case its state has changed without a word. */
const maxRestSeconds = 60
const defaultRestSeconds = 5

/** How many times longer a home may take to accept a request while it sends other replies. */
const maxAcceptWaits = 5

const maxHomes = 32
const maxSilenceMs = 3 * pingIntervalMs
const watchIntervalMs = 5000

/** Globals of workerd. */
declare const WebSocketPair: new () => { readonly 0: EdgeSocket; readonly 1: EdgeSocket }
declare const WebSocketRequestResponsePair: new (request: string, response: string) => unknown
