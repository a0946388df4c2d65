import { waitUntil } from 'cloudflare:workers'
import { loadRoutes } from '../api/vendors.ts'
import { createEdge } from './cloudflare/edge.ts'
import type { EdgeEnvironment } from './cloudflare/environment.ts'

// csp as a Cloudflare Worker. wrangler.toml refers to these exports.

export { TunnelObject } from '../tunnel/edge/tunnel-object.ts'
export { EdgeBudget } from './cloudflare/edge-budget.ts'

// Processor time is free while the Worker loads, but counted during requests.
await loadRoutes()

let edge: ReturnType<typeof createEdge> | undefined

export default {
  fetch(request: Request, environment: EdgeEnvironment): Response | Promise<Response> {
    edge ??= createEdge(environment, waitUntil)
    return edge(request)
  },
}
