import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { maxTimerMs } from '@csp/lib/abort'
import { shared } from '@csp/lib/shared'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { Hono, MiddlewareHandler } from 'hono'
import { createBareApp } from './api/bare-app.ts'
import type { TunnelHealth } from './api/endpoints/health-rows.ts'
import type { FrontPage, KeptMemory, Metrics, OwnParts, SignIn } from './api/endpoints/own-parts.ts'
import { searxngAddress } from './api/endpoints/searxng.ts'
import type { AppEnvironment } from './api/exchange/exchange.ts'
import { RecentRequests } from './api/exchange/recent-requests.ts'
import { Refusal } from './api/exchange/refusal.ts'
import type { RequestLog } from './api/exchange/request-log.ts'
import type { RequestNote } from './api/exchange/trace.ts'
import { type CheckKey, type KeyRing, keyCheck, keyInBody, keyInQuery, keyNames } from './api/http/auth.ts'
import { guard } from './api/http/guard.ts'
import { type ProxyRefusals, proxyRefusal, proxySign } from './api/http/proxied.ts'
import { methodsIn, mountRoutes, refuseOtherMethods } from './api/mount.ts'
import { mountOwn, ownMethods } from './api/own-endpoints.ts'
import type { RouteOptions } from './api/serve/serve-search.ts'
import { homeRoutes, routes, vendors } from './api/vendors.ts'
import type { ExecutorHealth } from './domain/health.ts'
import type { Jobs } from './domain/job.ts'
import { defaultModels, type ModelMap, modelNamePattern } from './domain/model.ts'
import type { Receipts } from './domain/receipt.ts'
import type { Executor } from './executor/executor.ts'
import { batchedText } from './executor/layers/batching/batched-text.ts'
import type { Meter } from './executor/layers/metering/budget.ts'
import { callerHeader, modelHeader, requestIdHeader, wholeHeader } from './executor/wire/headers.ts'

export interface AppOptions {
  readonly executor: Executor
  /** Reads pages; without it, the routes that need it say that this server reads none. */
  readonly pages?: PageReader | undefined
  /** Models of other providers behind the Messages API. The app does not own it. */
  readonly gateway?: Gateway | undefined
  /** Called with what each reply of an upstream cost. */
  readonly onUpstreamCall?: ((call: UpstreamCall) => void) | undefined
  readonly version: string
  /** Plain keys. Without any key the server is open. */
  readonly keys?: readonly string[] | undefined
  /** More keys, with names and limits, which may change at any time. */
  readonly keyRing?: KeyRing | undefined
  /** The spending that `/usage` reports. The gateway enters its own there. */
  readonly budget?: Meter | undefined
  /** Answers in the background. The app does not own it. Absent: requests for that are refused. */
  readonly jobs?: Jobs | undefined
  /** The receipts of written answers, and the pages that csp has seen. Absent: this server keeps none. */
  readonly receipts?: Pick<Receipts, 'read' | 'list'> | undefined
  readonly memory?: KeptMemory | undefined
  readonly models?: ModelMap | (() => ModelMap) | undefined
  /** Whether the executor has anything to search with; yes by default. Otherwise no list has csp's own models. */
  readonly searches?: (() => boolean) | undefined
  /** The model that writes where a request names none; `sonnet` by default. */
  readonly defaultModel?: string | undefined
  /**
   * Host names besides loopback that the server may be called by; `*` allows any name, so that only keys protect the
   * server.
   */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins of web pages that may call the server. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** 1 MiB by default. */
  readonly maximumBodyBytes?: number | undefined
  /** The interval of heartbeats on a silent stream; 5 s by default. */
  readonly heartbeatMs?: number | undefined
  /** How long a stream may hold back its status while it waits for its first frame; 5 s by default. */
  readonly commitAfterMs?: number | undefined
  /** How long the reader of a stream may take nothing before it is cut off; a minute by default. */
  readonly maxUnreadMs?: number | undefined
  readonly newId?: (() => string) | undefined
  readonly now?: (() => Date) | undefined
  /** Grants access to local programs of the same user. Does not make keys mandatory. */
  readonly localToken?: string | undefined
  /** How long callers without a key get the same status from `/health`; 0 by default. */
  readonly anonymousHealthTtlMs?: number | undefined
  /** The state of the link to an edge, for `/health`. */
  readonly tunnel?: (() => TunnelHealth) | undefined
  /** Signs the CLI in from the page; absent if there is none, or it cannot. */
  readonly signIn?: SignIn | undefined
  /** Loads the page for people at `/`; without it, browsers get the line of JSON that programs get. */
  readonly page?: (() => Promise<FrontPage>) | undefined
  /** Counts requests, and answers `/metrics`. Absent: there is nothing at that path. */
  readonly metrics?: Metrics | undefined
  /** Called once for each request, when its reply has ended. */
  readonly log?: ((entry: RequestLog) => void) | undefined
  /** Called for what happens during a request and only debugging needs. */
  readonly note?: ((note: RequestNote) => void) | undefined
  /** Called with what each request for `/health` finds. */
  readonly onHealth?: ((found: ExecutorHealth) => void) | undefined
}

/** The whole HTTP surface over one executor, for any runtime that has `fetch`. It does not own the executor. */
export function createApp(options: AppOptions): Hono<AppEnvironment> {
  const { now = () => new Date() } = options
  const checkKey = keyCheck(options.keys ?? [], options.keyRing, options.localToken)
  const proxied: ProxyRefusals = {}
  const recent = new RecentRequests()
  const log = (entry: RequestLog) => {
    recent.add(entry, now())
    options.log?.(entry)
  }
  const own = ownParts(options, { checkKey, proxied, recent, now })
  const app = createBareApp({ ...options, log })
  app.use(guard({ allowedHosts: options.allowedHosts ?? [], allowedOrigins: options.allowedOrigins ?? [] }))
  // Before the key check: callers without a key get a shorter reply.
  mountOwn(app, 'open', own)
  for (const { keyField, keyParameter, routes: own, prefixes: beginnings = [] } of vendors) {
    const below = beginnings.map((beginning) => `${beginning}/*`)
    if (keyField !== undefined) for (const path of below) app.use(path, keyInBody(keyField, checkKey))
    if (keyParameter === undefined) continue
    for (const path of [...below, ...own.flatMap(([paths]) => paths)]) app.use(path, keyInQuery(keyParameter))
  }
  app.use(requireKey(checkKey, proxied, now))
  mountOwn(app, 'guarded', own)
  for (const path of ['/', '/searxng', '/v1/searxng']) {
    app.get(path, searxngAddress)
    app.post(path, searxngAddress)
  }
  mountRoutes(app, routes, routeOptions(options))
  refuseOtherMethods(app, [...ownMethods(own), ...methodsIn(routes)])
  return app
}

/**
 * The application behind a tunnel: `POST /execute` and nothing else. The edge has checked the key and names the caller;
 * only the edge can send requests through the tunnel. A failure before anything was found keeps its status however late
 * it comes, so that the edge may ask another home.
 */
export function createHomeApp(options: Omit<AppOptions, 'keys' | 'keyRing' | 'commitAfterMs'>): Hono<AppEnvironment> {
  const app = createBareApp({ ...options, idIn: idOfEdge })
  app.use((context, next) => {
    const exchange = context.get('exchange')
    exchange.caller = callerFrom(context.req.header(callerHeader))
    exchange.isWhole = context.req.header(wholeHeader) !== undefined
    if (options.defaultModel !== undefined && modelNamePattern.test(options.defaultModel))
      context.header(modelHeader, options.defaultModel)
    return next()
  })
  const executor = batchedText(textIntervals)(options.executor)
  mountRoutes(app, homeRoutes, { ...routeOptions(options), executor, commitAfterMs: maxTimerMs })
  refuseOtherMethods(app, methodsIn(homeRoutes))
  return app
}

/** How long pieces of text are gathered for the edge, which pays for each event with processor time. */
const textIntervals = { intervalMs: 100, maxIntervalMs: 250 }

function modelsIn({ models = defaultModels }: AppOptions): () => ModelMap {
  return typeof models === 'function' ? models : () => models
}

function ownParts(options: AppOptions, more: Pick<OwnParts, 'checkKey' | 'proxied' | 'recent' | 'now'>): OwnParts {
  const { executor, version, gateway, budget, receipts, memory, jobs, metrics, signIn } = options
  return {
    ...{ executor, version, gateway, budget, receipts, memory, jobs, metrics, signIn, ...more },
    page: options.page && shared(options.page),
    models: modelsIn(options),
    searches: options.searches ?? (() => true),
    keyNames: () => keyNames(options.keys ?? [], options.keyRing),
    tunnel: options.tunnel,
    onHealth: options.onHealth,
    anonymousTtlMs: options.anonymousHealthTtlMs,
    document: async () => (await import('./api/openapi/document.ts')).documentText(),
    llms: async (address) => (await import('./api/openapi/llms.ts')).llmsText(address),
    heartbeatMs: options.heartbeatMs ?? 5_000,
    startedAt: more.now(),
  }
}

function routeOptions(options: AppOptions): RouteOptions {
  return {
    executor: options.executor,
    pages: options.pages,
    gateway: options.gateway,
    jobs: options.jobs,
    onUpstreamCall: options.onUpstreamCall,
    meter: options.budget,
    version: options.version,
    models: modelsIn(options),
    defaultModel: options.defaultModel,
    maximumBodyBytes: options.maximumBodyBytes ?? 1024 * 1024,
    heartbeatMs: options.heartbeatMs ?? 5_000,
    commitAfterMs: options.commitAfterMs ?? 5_000,
    maxUnreadMs: options.maxUnreadMs,
  }
}

function idOfEdge(headers: Headers): string | undefined {
  return headers.get(requestIdHeader)?.match(/^[\w-]{1,64}$/)?.[0]
}

/** The prefix keeps names of the edge apart from names of keys here. */
function callerFrom(header: string | undefined): string {
  try {
    return header ? `edge/${decodeURIComponent(header)}`.slice(0, 200) : 'edge'
  } catch {
    return 'edge'
  }
}

function requireKey(checkKey: CheckKey, proxied: ProxyRefusals, now: () => Date): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    const { headers } = context.req.raw
    const exchange = context.get('exchange')
    const { verdict, caller, key } = await checkKey(headers, exchange.presentedKey)
    exchange.caller = caller
    exchange.key = key
    const sign = verdict === 'accepted' && !key ? proxySign(headers) : undefined
    if (sign) {
      proxied.last = { sign, at: now().toISOString() }
      throw new Refusal('forbidden', proxyRefusal(sign))
    }
    if (verdict === 'accepted') return context.get('exchange').admitted(next)
    if (verdict === 'wrong') throw new Refusal('unauthorized', 'The key is wrong.')
    throw new Refusal('unauthorized', 'A key is required.', [{ path: [], type: 'missing', message: 'Field required' }])
  }
}
