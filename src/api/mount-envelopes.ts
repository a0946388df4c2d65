import type { Hono, MiddlewareHandler } from 'hono'
import { anthropic } from './dialects/anthropic/vendor.ts'
import { gemini } from './dialects/gemini/vendor.ts'
import { native } from './dialects/native/vendor.ts'
import { openai } from './dialects/openai/vendor.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { hasGoogleHeaders } from './http/google-client.ts'
import type { Route, Vendor } from './vendor.ts'
import { routes, vendors } from './vendors.ts'

/**
 * Gives every request the error envelope of the vendor whose route or prefix covers most of its path. A path that no
 * vendor covers is native. All that match are run, and the last one, which is the longest, has its way.
 */
export function mountEnvelopes(app: Hono<AppEnvironment>): void {
  const prefixes = vendors.flatMap((vendor) => (vendor.prefixes ?? []).map((path) => prefixEnvelope(path, vendor)))
  app.use(setEnvelope(() => native, byClient))
  // `toSorted` is stable: a route stands behind the prefix of the same length.
  const places = [...prefixes, ...routes.flatMap(routeEnvelopes)].toSorted(
    (a, b) => segmentsOf(a.path) - segmentsOf(b.path),
  )
  for (const { path, set } of places) app.use(path, set)
}

interface Place {
  readonly path: string
  readonly set: MiddlewareHandler<AppEnvironment>
}

type VendorOf = (method: string, path: string) => Vendor | undefined

function prefixEnvelope(path: string, vendor: Vendor): Place {
  return { path: `${path}/*`, set: setEnvelope(() => vendor, byClient) }
}

/** A route, and what stands below it. */
function routeEnvelopes({ path, methods, only }: Route): readonly Place[] {
  const [first] = Object.values(methods)
  const vendors = new Map(Object.entries(methods).map(([method, { vendor }]) => [method, vendor]))
  const vendorOf: VendorOf = (method, sent) =>
    only?.test(sent) === false ? undefined : (vendors.get(method) ?? first?.vendor)
  // The last segment of such a path takes everything.
  const below = path.endsWith('{.+}') ? [] : [{ path: `${path}/*`, set: setEnvelope(vendorOf, byClient) }]
  return [...below, { path, set: setEnvelope(vendorOf) }]
}

function setEnvelope(vendorOf: VendorOf, refine = (vendor: Vendor, _headers: Headers) => vendor) {
  const set: MiddlewareHandler<AppEnvironment> = (context, next) => {
    const { method, path, raw } = context.req
    const vendor = vendorOf(method, path)
    if (vendor) context.get('exchange').envelope = refine(vendor, raw.headers)
    return next()
  }
  return set
}

/** Clients of Anthropic and Google send their headers to common paths as well, such as `/v1/models`. */
function byClient(vendor: Vendor, headers: Headers): Vendor {
  if (vendor !== native && vendor !== openai) return vendor
  if (headers.has('anthropic-version')) return anthropic
  return hasGoogleHeaders(headers) ? gemini : vendor
}

function segmentsOf(path: string): number {
  return path.replace(/\/\*$/, '').split('/').length
}
