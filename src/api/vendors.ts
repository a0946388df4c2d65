import { anthropic } from './dialects/anthropic/vendor.ts'
import { bing } from './dialects/bing/vendor.ts'
import { bocha } from './dialects/bocha/vendor.ts'
import { brave } from './dialects/brave/vendor.ts'
import { exa } from './dialects/exa/vendor.ts'
import { firecrawl } from './dialects/firecrawl/vendor.ts'
import { gemini } from './dialects/gemini/vendor.ts'
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

function routesOf(vendor: Vendor, routes: readonly Route[]): readonly SharedRoute[] {
  return routes.map(({ path, methods, only }) => {
    const handlers = Object.entries(methods).map(([method, load]) => [method, { vendor, load }] as const)
    return { path, methods: Object.fromEntries(handlers), only }
  })
}
