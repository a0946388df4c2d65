import { waitUntil } from 'cloudflare:workers'
import { loadRoutes } from '../routes.ts'
import type { EdgeEnvironment } from './edge/edge-environment.ts'
import { openEdge } from './edge/open-edge.ts'

// csp as a Cloudflare Worker. wrangler.toml names what is exported here.

export { HomeTunnel } from '../tunnel/home-tunnel.ts'
export { EdgeBudget } from './edge/edge-budget.ts'

// While a Worker is loaded its time is free; a request's is counted.
await loadRoutes()

let edge: ReturnType<typeof openEdge> | undefined

export default {
  fetch(request: Request, environment: EdgeEnvironment): Response | Promise<Response> {
    edge ??= openEdge(environment, waitUntil)
    return edge(request)
  },
}
