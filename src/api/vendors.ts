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
import { type Route, routesOf } from './route.ts'
import { sharedRoutes } from './shared-routes.ts'
import type { Vendor } from './vendor.ts'

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

/** Every path that costs a search, reads pages or keeps a job. */
export const routes: readonly Route[] = [...vendors.flatMap(routesOf), ...sharedRoutes]

/** What a home answers through the tunnel. */
export const homeRoutes: readonly Route[] = routesOf(execute)

/** Loads every dialect, so that no first request waits for its own. */
export async function loadRoutes(): Promise<void> {
  await Promise.all([import('./serve/endpoint.ts'), ...vendors.map((vendor) => vendor.load())])
}
