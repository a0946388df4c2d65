import { waitUntil } from 'cloudflare:workers'
import { loadRoutes } from '../api/vendors.ts'
import type { EdgeEnvironment } from './cloudflare/environment.ts'
import { openEdge } from './cloudflare/open-edge.ts'

// csp as a Cloudflare Worker. wrangler.toml names what is exported here.

export { TunnelObject } from '../tunnel/edge/tunnel-object.ts'
export { EdgeBudget } from './cloudflare/edge-budget.ts'

// While a Worker is loaded its time is free; a request's is counted.
await loadRoutes()

let edge: ReturnType<typeof openEdge> | undefined

export default {
  fetch(request: Request, environment: EdgeEnvironment): Response | Promise<Response> {
    edge ??= openEdge(environment, waitUntil)
    return edge(request)
  },
}
