import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { AppEnvironment } from './exchange.ts'
import { Refusal } from './refusal.ts'

export interface GuardOptions {
  /** Host names, with or without a port, that the server may be called by; loopback always may. `*` is any. */
  readonly allowedHosts: readonly string[]
  /** Origins of web pages that may call it: `https://app.example`. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Keeps web pages from using the server behind their visitor's back. A name that was rebound to this machine shows in
 * `Host`; a page of another site shows in `Origin` or, where a plain GET carries none, in `Sec-Fetch-Site`.
 * Programs send neither of the latter two and pass.
 */
export function guard({ allowedHosts, allowedOrigins }: GuardOptions): MiddlewareHandler<AppEnvironment> {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const origins = new Set(allowedOrigins)
  const allowPage = cors({
    origin: [...origins],
    exposeHeaders: [
      'x-request-id',
      'x-cache',
      'x-csp-ignored',
      'x-csp-backend',
      'x-csp-stale-reason',
      'age',
      'server-timing',
      'retry-after',
    ],
  })

  return async (context, next) => {
    const { headers, url } = context.req.raw
    // A request made in-process has no Host header; its URL says the same.
    const host = (headers.get('host') ?? new URL(url).host).toLowerCase()
    if (!mayBeCalledBy(host, hosts)) {
      throw new Refusal('forbidden', 'This host name is not allowed. Add it to the allowed hosts to use it.')
    }
    const origin = headers.get('origin')
    if (origin !== null && origins.has(origin)) return allowPage(context, next)
    const isOwnPage = origin !== null && URL.parse(origin)?.host === host
    const isForeign = origin !== null ? !isOwnPage : foreignSites.has(headers.get('sec-fetch-site') ?? '')
    if (isForeign) {
      throw new Refusal('forbidden', 'This web page is not allowed. Add its origin to the allowed origins to use it.')
    }
    return next()
  }
}

/** Another port of the same machine counts as `same-site`, and is another program all the same. */
const foreignSites = new Set(['cross-site', 'same-site'])

function mayBeCalledBy(host: string, allowed: ReadonlySet<string>): boolean {
  if (allowed.has('*') || allowed.has(host)) return true
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d+)?$/.exec(host)?.[1]
  return name !== undefined && (allowed.has(name) || isLoopback(name))
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
