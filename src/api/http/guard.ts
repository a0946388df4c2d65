import { isLoopback, parseUrl } from '@csp/lib/url'
import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { html } from 'hono/html'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { Refusal } from '../exchange/refusal.ts'
import { hasKey } from './auth.ts'

export interface GuardOptions {
  /** Host names, with or without a port, that the server may be called by; loopback always may. `*` is any. */
  readonly allowedHosts: readonly string[]
  /** Origins of web pages that may call it: `https://app.example`. */
  readonly allowedOrigins: readonly string[]
}

/**
 * Blocks web pages that use the server without their visitor's knowledge. DNS rebinding shows in `Host`. A page of
 * another site shows in `Origin`; for a plain GET, which has none, in `Sec-Fetch-Site` or `Referer`, or by the headers
 * of a browser too old to send them. Programs send none of these and pass.
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
      'x-csp-missing',
      'x-csp-evidence',
      'x-csp-receipt',
      'x-csp-seen',
      'x-csp-backend',
      'x-csp-asked',
      'x-csp-pages',
      'x-csp-model',
      'x-csp-search-model',
      'x-csp-stale-reason',
      'age',
      'server-timing',
      'retry-after',
      'x-csp-retry-at',
    ],
  })

  return async (context, next) => {
    const { headers, url } = context.req.raw
    const target = parseUrl(url)
    // Without a valid Host, Bun's URL is not valid, and the path would be wrong as well.
    if (!target) throw new Refusal('invalid-request', 'The request needs one Host header with a host name.')
    // A request made in-process has no Host header; its URL says the same.
    const host = (headers.get('host') ?? target.host).toLowerCase()
    if (!mayBeCalledBy(host, hosts)) return refuseHost(context, nameIn(host))
    const origin = headers.get('origin')
    if (origin !== null && origins.has(origin)) return allowPage(context, next)
    if (isOfForeignPage(context.req.raw, target, host, origins)) {
      throw new Refusal(
        'forbidden',
        'This web page is not allowed. Add its origin to the allowed origins to use it. A program that calls itself a browser needs a key or the header X-Requested-With.',
      )
    }
    if (isPrefetch(headers))
      throw new Refusal('forbidden', 'Prefetch requests are refused, because each would cost a search.')
    return next()
  }
}

/**
 * A host name that this csp does not know, or none at all. People see this page when they open csp from another machine for
 * the first time.
 */
function refuseHost(context: Context<AppEnvironment>, name: string | undefined): Response | Promise<Response> {
  const flag = name === undefined ? '' : ` ${name}`
  const message = `This host name is not allowed. To allow it, start csp with a key and --allowed-hosts${flag || ' NAME'}.`
  const refusal = new Refusal('forbidden', message)
  if (!/\btext\/html\b/i.test(context.req.header('accept') ?? '')) throw refusal
  context.get('exchange').failed(refusal.code, refusal)
  context.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  return context.html(
    html`<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Host name not allowed</title>
<h1>csp does not know this host name</h1>
<p>This is claude-search-proxy. It was called by ${name === undefined ? 'a name that is not valid' : html`the name <code>${name}</code>, which is not allowed`}.</p>
<p>If it is your csp and your name for it, run this on its machine:</p>
<pre>csp keys add phone
csp start --allowed-hosts${flag || ' NAME'}</pre>
<p>If csp runs already, stop it first with <code>csp stop</code>. Otherwise close this page: another site may have sent you here.</p>
</html>`,
    403,
  )
}

function isOfForeignPage(
  { method, headers }: Request,
  target: URL,
  host: string,
  allowed: ReadonlySet<string>,
): boolean {
  const origin = headers.get('origin')
  if (origin !== null) return parseUrl(origin)?.host !== host
  const site = headers.get('sec-fetch-site')
  if (site !== null) return foreignSites.has(site)
  // A page cannot add a key to a request without an Origin.
  if (hasKey(headers) || isHarmless(method, target, headers)) return false
  const referer = headers.get('referer')
  if (referer === null) return isUnnamedBrowser(headers)
  const page = parseUrl(referer)
  return page === null || (page.host !== host && !allowed.has(page.origin))
}

/** `same-site` includes other ports of this machine, which are other programs. */
const foreignSites = new Set(['cross-site', 'same-site'])

/**
 * A browser that sends no `Sec-Fetch-Site`: from before 2020 (Safari: 2023), or any at an address of plain http beyond this
 * machine. Programs with a browser's user agent send no `Accept-Language`, or say `X-Requested-With`, which a page of
 * another site cannot send without asking first. `Accept` says nothing: any page may set it.
 */
function isUnnamedBrowser(headers: Headers): boolean {
  return (
    /^(?:mozilla|opera)\//i.test(headers.get('user-agent') ?? '') &&
    headers.has('accept-language') &&
    !headers.has('x-requested-with')
  )
}

/** Whether a request can only read what is the same for everybody, or how csp is: no search comes of it. */
function isHarmless(method: string, target: URL, headers: Headers): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || !harmlessPath.test(target.pathname)) return false
  // Only now: reading the parameters takes as long as they are.
  const { pathname, searchParams } = target
  return !searchParams.has('q') || (pathname === '/' && wantsPage(headers, searchParams))
}

const harmlessPath = /^\/(?:page\/[\w.-]+|docs|openapi\.json|opensearch\.xml|llms\.txt|(?:v1\/)?health(?:\/\w+)?)?$/

/** Whether a request for `/` wants the page for people, rather than JSON of csp or SearXNG. */
export function wantsPage(headers: Headers, parameters: URLSearchParams): boolean {
  return /\btext\/html\b/i.test(headers.get('accept') ?? '') && !parameters.has('format')
}

/** Whether a browser prefetches a page that its user may visit. */
function isPrefetch(headers: Headers): boolean {
  return ['sec-purpose', 'purpose', 'x-moz'].some((name) => /\bprefetch\b/i.test(headers.get(name) ?? ''))
}

/** The name in a Host header; `undefined` for anything but a single host name. */
function nameIn(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/.exec(host)?.[1]
}

/** False for what is no single host name, even when `*` is allowed. */
function mayBeCalledBy(host: string, allowed: ReadonlySet<string>): boolean {
  const name = nameIn(host)
  if (name === undefined) return false
  return allowed.has('*') || allowed.has(host) || allowed.has(name) || isLoopback(name)
}
