import type { Hono } from 'hono'
import { geminiBases } from './dialects/gemini/vendor.ts'
import { azureBases } from './dialects/openai/vendor.ts'
import { frontPage, pageFile } from './endpoints/front-page.ts'
import { health, live } from './endpoints/health.ts'
import { forgetJob, ownJob, ownJobs } from './endpoints/jobs.ts'
import { forgetMemory, memoryStats } from './endpoints/memory.ts'
import { metrics } from './endpoints/metrics.ts'
import { geminiModelList, modelList, oneGeminiModel, oneModel } from './endpoints/models.ts'
import { openSearch } from './endpoints/open-search.ts'
import type { OwnEndpoint } from './endpoints/own-endpoint.ts'
import type { OwnParts } from './endpoints/own-parts.ts'
import { receiptList, receiptOf } from './endpoints/receipts/receipts.ts'
import { llms, openapi } from './endpoints/reference.ts'
import { requests } from './endpoints/requests.ts'
import { searxngConfig } from './endpoints/searxng.ts'
import { beginSignIn, enterCode } from './endpoints/sign-in.ts'
import { usage } from './endpoints/usage.ts'
import type { AppEnvironment } from './exchange/exchange.ts'
import { withV1 } from './vendor.ts'

/** Every route about this server itself, with its paths. */
export const ownEndpoints: readonly (readonly [paths: readonly string[], endpoint: OwnEndpoint])[] = [
  [modelBases('/models'), modelList],
  [modelBases('/models/:id{.+}'), oneModel],
  [geminiBases.map((base) => `${base}/models`), geminiModelList],
  [geminiBases.map((base) => `${base}/models/:id{.+}`), oneGeminiModel],
  [withV1('/usage'), usage],
  [withV1('/requests'), requests],
  [withV1('/sign-in'), beginSignIn],
  [withV1('/sign-in/code'), enterCode],
  [[...withV1('/health'), ...withV1('/health/ready')], health],
  [withV1('/health/live'), live],
  [['/metrics'], metrics],
  [['/openapi.json'], openapi],
  [['/llms.txt'], llms],
  [['/page/:name'], pageFile],
  [['/opensearch.xml'], openSearch],
  [['/'], frontPage],
  [['/config', ...withV1('/searxng/config')], searxngConfig],
  [withV1('/receipts'), receiptList],
  [withV1('/receipts/:id'), receiptOf],
  [withV1('/jobs'), ownJobs],
  [withV1('/jobs/:id'), ownJob],
  [withV1('/jobs/:id'), forgetJob],
  [withV1('/memory'), memoryStats],
  [withV1('/memory'), forgetMemory],
]

/** Mounts those that need a key, or those that are open to all. */
export function mountOwn(app: Hono<AppEnvironment>, kind: 'open' | 'guarded', parts: OwnParts): void {
  for (const [paths, endpoint] of ownEndpoints) {
    const isOpen = endpoint.reference.isOpen === true
    if (isOpen === (kind === 'open') && isHere(endpoint, parts)) endpoint.mount(app, [...paths], parts)
  }
}

/** The methods of each path that this csp has, for `refuseOtherMethods`. At `/` SearXNG's clients may come as well. */
export function ownMethods(parts: OwnParts): readonly (readonly [path: string, method: string])[] {
  return ownEndpoints
    .filter(([, endpoint]) => endpoint !== frontPage && isHere(endpoint, parts))
    .flatMap(([paths, endpoint]) =>
      paths.flatMap((path) => methodsOf(endpoint).map((method) => [path, method] as const)),
    )
}

/** Hono runs the handler of GET for HEAD. */
export function methodsOf({ method }: OwnEndpoint): readonly string[] {
  return method === undefined ? ['GET', 'HEAD'] : [method]
}

function isHere(endpoint: OwnEndpoint, parts: OwnParts): boolean {
  return endpoint.isHere?.(parts) ?? true
}

function modelBases(path: string): readonly string[] {
  return ['', '/v1', ...azureBases].map((base) => base + path)
}
