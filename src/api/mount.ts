import type { Handler, Hono } from 'hono'
import { once } from '../lib/once.ts'
import type { AppEnvironment } from './http/exchange.ts'
import { Refusal } from './http/refusal.ts'
import type { RouteOptions } from './serve/route.ts'
import type { SharedRoute } from './shared-routes.ts'
import type { LoadHandler, Method } from './vendor.ts'

/** Mounts routes whose handlers are loaded when they are first requested. */
export function mountRoutes(app: Hono<AppEnvironment>, routes: readonly SharedRoute[], options: RouteOptions): void {
  for (const { path, methods } of routes) {
    const handlers = Object.entries(methods).map(([method, { load }]) => [method, lazily(load, options)] as const)
    mount(app, path, Object.fromEntries(handlers))
  }
}

/**
 * Mounts the handlers of a path, in several calls if need be; any other method gets a 405 that names them. HEAD is
 * refused as well unless it is named: Hono would run the handler of GET for it, and the search would be wasted.
 */
export function mount(
  app: Hono<AppEnvironment>,
  path: string,
  handlers: Partial<Record<Method, Handler<AppEnvironment>>>,
) {
  const known = mounted.get(app) ?? new Map<string, Handlers>()
  mounted.set(app, known)
  const before = known.get(path)
  const byMethod: Handlers = new Map([...(before ?? []), ...Object.entries(handlers)])
  known.set(path, byMethod)
  if (before) return
  app.all(path, (context, next) => {
    const methods = known.get(path)
    const handler = methods?.get(context.req.method)
    if (handler) return handler(context, next)
    const allowed = [...(methods?.keys() ?? [])].join(', ')
    context.header('allow', allowed)
    throw new Refusal('method-not-allowed', `${context.req.method} is not allowed here; ${allowed} is.`)
  })
}

type Handlers = ReadonlyMap<string, Handler<AppEnvironment>>

const mounted = new WeakMap<Hono<AppEnvironment>, Map<string, Handlers>>()

function lazily(load: LoadHandler, options: RouteOptions): Handler<AppEnvironment> {
  const handler = once(async () => (await load())(options))
  return async (context, next) => (await handler())(context, next)
}
