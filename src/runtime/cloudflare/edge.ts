import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { messageOf } from '@csp/lib/errors'
import { createMemoryStorage, type StorageInterface } from 'ocache'
import { createClosedApp } from '../../api/bare-app.ts'
import { createApp } from '../../app.ts'
import { SearchError } from '../../domain/error.ts'
import { configuredModels } from '../../domain/model.ts'
import { type KvNamespace, kv } from '../../storage/kv.ts'
import { openStore } from '../../storage/store.ts'
import { tiered } from '../../storage/tiered.ts'
import { admitHome } from '../../tunnel/edge/admission.ts'
import { connectPath } from '../../tunnel/protocol.ts'
import type { Config } from '../config/settings.ts'
import { UsageError } from '../config/usage-error.ts'
import { createConfiguredGateway } from '../gateway.ts'
import type { Log } from '../log/log.ts'
import { logUpstreamCall, requestLog } from '../log/request-log.ts'
import { version } from '../version.ts'
import { checkWriters } from '../writers.ts'
import { edgeBackends, remoteCsps } from './backends.ts'
import { type Background, edgeExecutor } from './edge-executor.ts'
import { edgeMeter } from './edge-meter.ts'
import { type EdgeEnvironment, edgeLimits, edgeLog, objectNamed, readEdgeSettings } from './environment.ts'

type Fetch = (request: Request) => Response | Promise<Response>

/** Creates the csp of a Worker. Without keys or with an invalid setting it answers every request with that error. */
export function createEdge(environment: EdgeEnvironment, background: Background): Fetch {
  const settings = readEdgeSettings(environment)
  if (typeof settings === 'string') return closed(settings)

  const { config, namedKeys } = settings
  const { cacheTtl: ttlSeconds, cacheScope: scope, defaultLanguage, merge } = config
  const log = edgeLog(config.logLevel)
  const storage = edgeStorage(environment.CACHE, log)
  const meter = edgeMeter({
    budget: objectNamed(environment.BUDGET, 'budget'),
    ...edgeLimits(settings),
    background,
  })
  const tunnel = objectNamed(environment.HOMES, 'homes')
  const gateway = edgeGateway(config, environment, storage)
  if (typeof gateway === 'string') return closed(gateway)
  const onUpstreamCall = (call: UpstreamCall) => logUpstreamCall(log, call)
  const backends = edgeBackends(config, remoteCsps(config, tunnel), { gateway, onCall: onUpstreamCall })
  const executor = edgeExecutor({
    defaultLanguage,
    merge,
    ttlSeconds,
    scope,
    storage,
    backends,
    meter,
    background,
  })
  const app = createApp({
    executor,
    gateway,
    onUpstreamCall,
    version,
    keys: config.apiKeys,
    keyRing: { keys: async () => namedKeys },
    budget: meter,
    models: configuredModels(config),
    // For answers from KV and of other backends; a home says what it has.
    defaultModel: config.model,
    // The Worker may have any host name; the keys protect it.
    allowedHosts: ['*'],
    allowedOrigins: config.allowedOrigins,
    // Each time costs requests of the objects, and anybody may ask.
    anonymousHealthTtlMs: 10_000,
    page:
      config.page === 'on'
        ? async () => (await import('../../web-ui/page.tsx')).createPage(edgeRefreshSeconds)
        : undefined,
    ...requestLog(log),
  })
  return (request) =>
    new URL(request.url).pathname === connectPath ? admitHome(request, tunnel, environment) : app.fetch(request)
}

function closed(message: string): Fetch {
  const app = createClosedApp(new SearchError('unavailable', message))
  return (request) => app.fetch(request)
}

/** The variables without the bindings. */
function textsIn(environment: EdgeEnvironment): Readonly<Record<string, string>> {
  const texts = Object.entries(environment).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(texts)
}

/** The gateway over the upstreams that the variables name. Returns an error message if one is wrong. */
function edgeGateway(
  config: Config,
  environment: EdgeEnvironment,
  store: StorageInterface,
): Gateway | string | undefined {
  try {
    checkWriters(config, textsIn(environment))
    return createConfiguredGateway(config, textsIn(environment), { store, isEdge: true })
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/** The cache of the edge: KV, with recent entries in memory. Failed writes are logged. */
function edgeStorage(namespace: KvNamespace, log: Log): StorageInterface {
  const store = openStore(kv({ namespace }))
  const logged: StorageInterface = {
    get: (key) => store.get(key),
    async set(key, value, options) {
      try {
        await store.set(key, value, options)
      } catch (error) {
        log('warning', `An answer was not cached: ${messageOf(error)}`)
        throw error
      }
    },
  }
  return tiered(createMemoryStorage({ maxBytes: memoryBytes }), logged)
}

/** Each look at the state costs requests of the objects. */
const edgeRefreshSeconds = 30

/** A Worker has 128 MB. */
const memoryBytes = 16 * 1024 * 1024
