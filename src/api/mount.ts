import { once } from '@csp/lib/once'
import type { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
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
  let allowed: TrieRouter<readonly string[]> | undefined
  app.all('*', ({ req, header }, next) => {
    // Made for the first such request: few have none of the methods.
    allowed ??= methodsByPath(routes)
    const [methods] = allowed.match(req.method, req.path)[0][0] ?? []
    if (!methods) return next()
    const names = methods.join(', ')
    header('allow', names)
    if (req.header('upgrade')?.toLowerCase() === 'websocket') {
      header('upgrade', 'HTTP/1.1')
      throw new Refusal('no-websocket', 'There is no WebSocket here; send the request over HTTP.')
    }
    throw new Refusal('method-not-allowed', `${req.method} is not allowed here; ${names} is.`)
  })
}

function methodsByPath(routes: readonly (readonly [path: string, method: string])[]): TrieRouter<readonly string[]> {
  const methodsOf = new Map<string, readonly string[]>()
  for (const [path, method] of routes) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method])
  const router = new TrieRouter<readonly string[]>()
  for (const [path, methods] of methodsOf) router.add('ALL', path, methods)
  return router
}

/** The methods of each path, for `refuseOtherMethods`. */
export function methodsIn(routes: readonly Route[]): readonly (readonly [path: string, method: string])[] {
  return routes.flatMap(({ path, methods }) => Object.keys(methods).map((method) => [path, method] as const))
}
