import { anthropic } from './dialects/anthropic/vendor.ts'
import { bing } from './dialects/bing/vendor.ts'
import { bocha } from './dialects/bocha/vendor.ts'
import { brave } from './dialects/brave/vendor.ts'
import { exa } from './dialects/exa/vendor.ts'
import { firecrawl } from './dialects/firecrawl/vendor.ts'
import { gemini, isGoogleClient } from './dialects/gemini/vendor.ts'
import { google } from './dialects/google/vendor.ts'
import { jina } from './dialects/jina/vendor.ts'
import { linkup } from './dialects/linkup/vendor.ts'
import { litellm } from './dialects/litellm/vendor.ts'
import { execute, native } from './dialects/native/vendor.ts'
import { ollama } from './dialects/ollama/vendor.ts'
import { openWebui } from './dialects/open-webui/vendor.ts'
import { openai } from './dialects/openai/vendor.ts'
import { parallel } from './dialects/parallel/vendor.ts'
import { perplexity } from './dialects/perplexity/vendor.ts'
import { searxng } from './dialects/searxng/vendor.ts'
import { serpapi } from './dialects/serpapi/vendor.ts'
import { serper } from './dialects/serper/vendor.ts'
import { tavily } from './dialects/tavily/vendor.ts'
import { mcp } from './endpoints/mcp/vendor.ts'
import { type SharedRoute, sharedRoutes } from './shared-routes.ts'
import type { Route, Vendor } from './vendor.ts'

export const vendors: readonly Vendor[] = [
  anthropic,
  bing,
  bocha,
  brave,
  exa,
  execute,
  firecrawl,
  gemini,
  google,
  jina,
  linkup,
  litellm,
  mcp,
  native,
  ollama,
  openWebui,
  openai,
  parallel,
  perplexity,
  searxng,
  serpapi,
  serper,
  tavily,
]

/** Every path that costs a search, with the vendor that answers each method. */
export const searchRoutes: readonly SharedRoute[] = [
  ...vendors.flatMap((vendor) => routesOf(vendor, vendor.routes)),
  ...sharedRoutes,
]

/** Every path that reads pages and costs no search. */
export const pageRoutes: readonly SharedRoute[] = vendors.flatMap((vendor) => routesOf(vendor, vendor.pageRoutes ?? []))

/** Every path of requests that are answered in the background. */
export const jobRoutes: readonly SharedRoute[] = vendors.flatMap((vendor) => routesOf(vendor, vendor.jobRoutes ?? []))

/** What a home answers through the tunnel. */
export const homeRoutes: readonly SharedRoute[] = routesOf(execute, execute.routes)

/** Loads every dialect, so that no first request waits for its own. */
export async function loadRoutes(): Promise<void> {
  const routes = [...searchRoutes, ...pageRoutes, ...jobRoutes]
  await Promise.all(routes.flatMap(({ methods }) => Object.values(methods).map(({ load }) => load())))
}

/**
 * The vendor whose client sent this request: that of the route, otherwise the one whose route or prefix covers most of
 * the path. A path that no vendor covers is native.
 */
export function vendorFor(method: string, path: string, headers: Headers): Vendor {
  const route = routesByPath.get(path)
  if (route) return route.vendorOf(method) ?? native
  const segments = segmentsOf(path)
  const best = closestTo(segments, path)
  const vendor = best?.vendorOf(method) ?? native
  const isRoute = best?.isRoute === true && best.segments.length === segments.length
  // Clients send these headers to common paths as well, such as `/v1/models`.
  const isCommon = !isRoute && (vendor === native || vendor === openai)
  if (isCommon && headers.has('anthropic-version')) return anthropic
  return isCommon && isGoogleClient(headers) ? gemini : vendor
}

/** The route or prefix that covers most of a path. */
function closestTo(segments: readonly string[], path: string): Pattern | undefined {
  let best: Pattern | undefined
  for (const pattern of patterns) {
    if (pattern.only?.test(path) === false) continue
    if (covers(pattern, segments) && pattern.segments.length > (best?.segments.length ?? 0)) best = pattern
  }
  return best
}

interface Pattern {
  readonly segments: readonly string[]
  readonly isRoute: boolean
  readonly only?: RegExp | undefined
  readonly vendorOf: (method: string) => Vendor | undefined
}

const patterns: readonly Pattern[] = [
  ...[...searchRoutes, ...pageRoutes, ...jobRoutes].map(({ path, methods, only }) => {
    const byMethod = new Map(Object.entries(methods).map(([method, { vendor }]) => [method, vendor]))
    const [first] = byMethod.values()
    return {
      segments: segmentsOf(path),
      isRoute: true,
      only,
      vendorOf: (method: string) => byMethod.get(method) ?? first,
    }
  }),
  ...vendors.flatMap((vendor) =>
    (vendor.prefixes ?? []).map((path) => ({ segments: segmentsOf(path), isRoute: false, vendorOf: () => vendor })),
  ),
]

/** Nearly every request asks for one of these, so they are not searched for. */
const routesByPath = new Map(
  patterns.filter(({ isRoute }) => isRoute).map((pattern) => [`/${pattern.segments.join('/')}`, pattern]),
)

function routesOf(vendor: Vendor, routes: readonly Route[]): readonly SharedRoute[] {
  return routes.map(({ path, methods, only }) => {
    const handlers = Object.entries(methods).map(([method, load]) => [method, { vendor, load }] as const)
    return { path, methods: Object.fromEntries(handlers), only }
  })
}

function covers({ segments }: Pattern, path: readonly string[]): boolean {
  return segments.length <= path.length && segments.every((part, at) => matches(part, path[at]))
}

function matches(part: string, segment: string | undefined): boolean {
  return part.startsWith(':') ? Boolean(segment) : part === segment
}

/** Without the empty one behind a slash at the end. */
function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/').slice(1)
}
