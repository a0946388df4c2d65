import { failureHeaders, failureOf } from '../../api/http/failure.ts'
import { vendorFor } from '../../api/vendors.ts'
import { createApp } from '../../app.ts'
import { SearchError } from '../../domain/error.ts'
import { defaultModels } from '../../domain/model.ts'
import { admitHome } from '../../tunnel/edge/admit-home.ts'
import { connectPath } from '../../tunnel/protocol.ts'
import { requestLog } from '../log/request-log.ts'
import { version } from '../version.ts'
import { edgeBackends, remoteCsps } from './backends.ts'
import { type Background, edgeExecutor } from './edge-executor.ts'
import { edgeMeter } from './edge-meter.ts'
import { edgeRelay } from './edge-relay.ts'
import { type EdgeEnvironment, objectNamed, readEdgeSettings } from './environment.ts'
import { edgeLimits } from './limits.ts'
import { edgeLog } from './log.ts'
import { edgeStorage } from './storage.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** All of csp that runs in a Worker. Without keys, or with a setting that cannot be, it answers that and nothing else. */
export function openEdge(environment: EdgeEnvironment, background: Background): Fetch {
  const settings = readEdgeSettings(environment)
  if (typeof settings === 'string') return (request) => closed(request, settings)

  const { config, namedKeys } = settings
  const { cacheTtl: ttlSeconds, cacheStale: oldSeconds } = config
  const log = edgeLog(config.logLevel)
  const storage = edgeStorage(environment.CACHE, log)
  const meter = edgeMeter({
    budget: objectNamed(environment.BUDGET, 'budget'),
    ...edgeLimits(settings),
    background,
  })
  const tunnel = objectNamed(environment.HOMES, 'homes')
  const homes = remoteCsps(config, tunnel)
  const backends = edgeBackends(config, homes)
  const executor = edgeExecutor({ ttlSeconds, oldSeconds, storage, backends, meter, background })
  const app = createApp({
    executor,
    version,
    keys: config.apiKeys,
    keyRing: { keys: async () => namedKeys },
    budget: meter,
    models: { ...defaultModels, ...config.models },
    // Any name may lead to the Worker: the keys decide.
    allowedHosts: ['*'],
    allowedOrigins: config.allowedOrigins,
    ...requestLog(log),
    relay: edgeRelay({ ttlSeconds, storage, meter, homes }),
  })
  return (request) =>
    new URL(request.url).pathname === connectPath
      ? admitHome(request, tunnel, config.connectSecret)
      : app.fetch(request)
}

function closed(request: Request, message: string): Response {
  const { pathname } = new URL(request.url)
  const failure = failureOf(new SearchError('unavailable', message))
  const vendor = vendorFor(request.method, pathname, request.headers)
  const reply = { id: crypto.randomUUID(), createdAt: new Date(), elapsedMs: () => 0 }
  const { status, body, headers } = vendor.formatError(failure, reply, request.method)
  return Response.json(body, { status, headers: { ...headers, ...failureHeaders(failure) } })
}
