import type { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import { anthropic } from './dialects/anthropic/vendor.ts'
import { gemini } from './dialects/gemini/vendor.ts'
import { native } from './dialects/native/vendor.ts'
import { openai } from './dialects/openai/vendor.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { hasGoogleHeaders } from './http/google-client.ts'
import type { Route } from './route.ts'
import type { Vendor } from './vendor.ts'
import { routes, vendors } from './vendors.ts'

/**
 * Gives every request the error envelope of the vendor whose route or prefix covers most of its path. A path that no
 * vendor covers is native.
 */
export function mountEnvelopes(app: Hono<AppEnvironment>): void {
  app.use((context, next) => {
    const { method, path, raw } = context.req
    let envelope = byClient(native, raw.headers)
    // All that match, the longest last.
    for (const [{ vendorOf, isExact }] of allPlaces().match(method, path)[0]) {
      const vendor = vendorOf(method, path)
      if (vendor) envelope = isExact ? vendor : byClient(vendor, raw.headers)
    }
    context.get('exchange').envelope = envelope
    return next()
  })
}

interface Place {
  readonly path: string
  /** Whether it is a route itself, not what stands below one. */
  readonly isExact: boolean
  vendorOf(method: string, path: string): Vendor | undefined
}

let known: TrieRouter<Place> | undefined

/** Made at the first request, for all applications: a Worker must not compute while it loads. */
function allPlaces(): TrieRouter<Place> {
  if (known) return known
  known = new TrieRouter()
  const prefixes = vendors.flatMap((vendor) =>
    (vendor.prefixes ?? []).map((path): Place => ({ path: `${path}/*`, isExact: false, vendorOf: () => vendor })),
  )
  // `toSorted` is stable: a route stands behind the prefix of the same length.
  const places = [...prefixes, ...routes.flatMap(routePlaces)].toSorted((a, b) => segmentsOf(a) - segmentsOf(b))
  for (const place of places) known.add('ALL', place.path, place)
  return known
}

/** A route, and what stands below it. */
function routePlaces({ path, methods, only }: Route): readonly Place[] {
  const [first] = Object.values(methods)
  const vendors = new Map(Object.entries(methods).map(([method, { vendor }]) => [method, vendor]))
  const vendorOf: Place['vendorOf'] = (method, sent) =>
    only?.test(sent) === false ? undefined : (vendors.get(method) ?? first?.vendor)
  // The last segment of such a path takes everything.
  const below = path.endsWith('{.+}') ? [] : [{ path: `${path}/*`, isExact: false, vendorOf }]
  return [...below, { path, isExact: true, vendorOf }]
}

/** Clients of Anthropic and Google send their headers to common paths as well, such as `/v1/models`. */
function byClient(vendor: Vendor, headers: Headers): Vendor {
  if (vendor !== native && vendor !== openai) return vendor
  if (headers.has('anthropic-version')) return anthropic
  return hasGoogleHeaders(headers) ? gemini : vendor
}

function segmentsOf({ path }: Place): number {
  return path.replace(/\/\*$/, '').split('/').length
}
