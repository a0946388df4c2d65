import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { hasKey } from './auth.ts'
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
 * `Host`; a page of another site shows in `Origin` or, where a plain GET carries none, in `Sec-Fetch-Site`, in `Referer`
 * or by the silence of a browser too old to say. Programs send none of these and pass.
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
    const target = URL.parse(url)
    // What Bun makes no URL of has no Host, or one that is no name, and the path would be read wrongly too.
    if (!target) throw new Refusal('invalid-request', 'The request needs one Host header with a host name.')
    // A request made in-process has no Host header; its URL says the same.
    const host = (headers.get('host') ?? target.host).toLowerCase()
    if (!mayBeCalledBy(host, hosts)) {
      throw new Refusal('forbidden', 'This host name is not allowed. Add it to the allowed hosts to use it.')
    }
    const origin = headers.get('origin')
    if (origin !== null && origins.has(origin)) return allowPage(context, next)
    if (isOfForeignPage(headers, host, origins)) {
      throw new Refusal('forbidden', 'This web page is not allowed. Add its origin to the allowed origins to use it.')
    }
    if (isForesight(headers)) throw new Refusal('forbidden', 'Nobody has asked for this yet, so no search is made.')
    return next()
  }
}

function isOfForeignPage(headers: Headers, host: string, allowed: ReadonlySet<string>): boolean {
  const origin = headers.get('origin')
  if (origin !== null) return URL.parse(origin)?.host !== host
  const site = headers.get('sec-fetch-site')
  if (site !== null) return foreignSites.has(site)
  // A page cannot add a key to a request without an Origin.
  if (hasKey(headers)) return false
  const referer = headers.get('referer')
  if (referer === null) return isMuteBrowser(headers)
  const page = URL.parse(referer)
  return page === null || (page.host !== host && !allowed.has(page.origin))
}

/** Another port of the same machine counts as `same-site`, and is another program all the same. */
const foreignSites = new Set(['cross-site', 'same-site'])

/**
 * A browser from before 2020 (Safari: 2023), which does not say what page a request is for. No element of a page asks
 * for JSON, and programs that borrow a browser's name do not tell their language as well.
 */
function isMuteBrowser(headers: Headers): boolean {
  return (
    /^mozilla\//i.test(headers.get('user-agent') ?? '') &&
    headers.has('accept-language') &&
    !/\bjson\b/i.test(headers.get('accept') ?? '')
  )
}

/** Whether a browser fetches an address that its user may be about to go to. */
function isForesight(headers: Headers): boolean {
  return ['sec-purpose', 'purpose', 'x-moz'].some((name) => /\bprefetch\b/i.test(headers.get(name) ?? ''))
}

/** Never by what is no single host name, such as two of them, whatever is allowed. */
function mayBeCalledBy(host: string, allowed: ReadonlySet<string>): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/.exec(host)?.[1]
  if (name === undefined) return false
  return allowed.has('*') || allowed.has(host) || allowed.has(name) || isLoopback(name)
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name)
}
