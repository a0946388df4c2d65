import type { Hono } from 'hono'
import { once } from '../lib/once.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { Refusal } from './exchange/refusal.ts'
import type { Route } from './route.ts'
import type { RouteOptions } from './serve/serve-search.ts'

/** Mounts routes whose handlers are loaded when they are first requested. */
export function mountRoutes(app: Hono<AppEnvironment>, routes: readonly Route[], options: RouteOptions): void {
  for (const { path, methods } of routes) {
    for (const [method, { load }] of Object.entries(methods)) {
      const handler = once(async () => {
        const [endpoint, { handlerOf }] = await Promise.all([load(), import('./serve/endpoint.ts')])
        return handlerOf(endpoint, options)
      })
      // Hono would run the handler of GET for HEAD, and the search would be wasted.
      app.on(method, path, async (context, next) =>
        context.req.method === method ? (await handler())(context, next) : next(),
      )
    }
  }
}

/** Has any other method of these paths get a 405 that names those that are there. Comes last. */
export function refuseOtherMethods(
  app: Hono<AppEnvironment>,
  routes: readonly (readonly [path: string, method: string])[],
): void {
  const allowed = new Map<string, readonly string[]>()
  for (const [path, method] of routes) allowed.set(path, [...(allowed.get(path) ?? []), method])
  for (const [path, methods] of allowed) {
    app.all(path, (context) => {
      const names = methods.join(', ')
      context.header('allow', names)
      throw new Refusal('method-not-allowed', `${context.req.method} is not allowed here; ${names} is.`)
    })
  }
}

/** The methods of each path, for `refuseOtherMethods`. */
export function methodsIn(routes: readonly Route[]): readonly (readonly [path: string, method: string])[] {
  return routes.flatMap(({ path, methods }) => Object.keys(methods).map((method) => [path, method] as const))
}
