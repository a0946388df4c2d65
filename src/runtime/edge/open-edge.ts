import { createMemoryStorage } from 'ocache'
import { envelopeFor } from '../../api/envelope-for.ts'
import { failureHeaders, failureOf } from '../../api/failure.ts'
import { createApp } from '../../app.ts'
import { SearchError } from '../../domain/error.ts'
import { defaultModels } from '../../domain/model.ts'
import { metered } from '../../executor/metered.ts'
import { kv } from '../../storage/kv.ts'
import { openStore } from '../../storage/store.ts'
import { tiered } from '../../storage/tiered.ts'
import { connectPath } from '../../tunnel/protocol.ts'
import { version } from '../version.ts'
import { edgeBackends, edgeHomes } from './edge-backends.ts'
import { type EdgeEnvironment, objectNamed, readEdgeSettings } from './edge-environment.ts'
import { type Background, edgeExecutor } from './edge-executor.ts'
import { edgeLimits } from './edge-limits.ts'
import { edgeMeter } from './edge-meter.ts'
import { edgeRelay } from './edge-relay.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** All of csp that runs in a Worker. Without keys, or with a setting that cannot be, it answers that and nothing else. */
export function openEdge(environment: EdgeEnvironment, background: Background): Fetch {
  const settings = readEdgeSettings(environment)
  if (typeof settings === 'string') return (request) => closed(request, settings)

  const { config, namedKeys } = settings
  const { cacheTtl: ttlSeconds, cacheStale: oldSeconds } = config
  const near = createMemoryStorage({ maxBytes: memoryBytes })
  const storage = tiered(near, openStore(kv({ namespace: environment.CACHE })))
  const meter = edgeMeter({
    budget: objectNamed(environment.BUDGET, 'budget'),
    ...edgeLimits(settings),
    background,
  })
  const tunnel = objectNamed(environment.HOMES, 'homes')
  const homes = edgeHomes(config, tunnel)
  const backends = edgeBackends(config, homes)
  const executor = edgeExecutor({ ttlSeconds, oldSeconds, storage, backends, meter: metered(meter), background })
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
    relay: edgeRelay({ ttlSeconds, storage, meter, homes }),
  })
  return (request) =>
    new URL(request.url).pathname === connectPath
      ? tunnel.fetch(new Request('http://homes/__connect', request))
      : app.fetch(request)
}

/** Of the 128 MB that a Worker has. */
const memoryBytes = 16 * 1024 * 1024

function closed(request: Request, message: string): Response {
  const { pathname } = new URL(request.url)
  const failure = failureOf(new SearchError('unavailable', message))
  const envelope = envelopeFor(request.method, pathname, request.headers)
  const reply = { id: crypto.randomUUID(), createdAt: new Date(), elapsedMs: () => 0 }
  const { status, body, headers } = envelope.formatError(failure, reply)
  return Response.json(body, { status, headers: { ...headers, ...failureHeaders(failure) } })
}
