import type { Gateway } from '@csp/gateway/gateway'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { isLoopback } from '@csp/lib/url'
import type { PageReader } from '@csp/page-reader/page-reader'
import { lacksPrograms, type TunnelHealth } from '../../api/endpoints/health-rows.ts'
import type { KeptMemory, SignIn } from '../../api/endpoints/own-parts.ts'
import type { Connection } from '../../api/exchange/exchange.ts'
import { createApp } from '../../app.ts'
import type { OfferedModel } from '../../domain/claude-models.ts'
import type { ExecutorHealth } from '../../domain/health.ts'
import type { Jobs } from '../../domain/job.ts'
import { configuredModels, type ModelMap, withOffered } from '../../domain/model.ts'
import type { Receipts } from '../../domain/receipt.ts'
import type { Executor } from '../../executor/executor.ts'
import { type Config, usedBackends } from '../config/settings.ts'
import type { Log } from '../log/log.ts'
import { logUpstreamCall, requestLog } from '../log/request-log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { version } from '../version.ts'
import { modelsThatWrite, payees } from '../writers.ts'
import type { Accounts } from './accounts.ts'

/** What a server has besides its executor. */
export interface AppParts {
  readonly accounts?: Accounts | undefined
  readonly tunnel?: (() => TunnelHealth) | undefined
  readonly localToken?: string | undefined
  readonly gateway?: Gateway | undefined
  /** Tells of the replies of its models that write answers. */
  readonly hearCalls?: ((hear: (call: UpstreamCall) => void) => void) | undefined
  readonly receipts?: Receipts | undefined
  readonly memory?: KeptMemory | undefined
  readonly jobs?: Jobs | undefined
  /** Absent if no page may be read. */
  readonly pages?: PageReader | undefined
  /** The login of the CLI from the page. */
  readonly signIn?: SignIn | undefined
  /** The models that the CLI offers now. */
  readonly offered?: (() => readonly OfferedModel[]) | undefined
  /** Whether there is anything to search with; yes by default. */
  readonly searches?: (() => boolean) | undefined
}

/**
 * The HTTP surface over an executor, as configured. Each request is logged, never its query or key. Without
 * accounts only the keys of the configuration open it, and spending is not reported.
 */
export function createConfiguredApp(
  config: Config,
  executor: Executor,
  log: Log,
  { accounts, signIn, hearCalls, offered = () => [], ...parts }: AppParts = {},
): (request: Request, connection?: Connection) => Response | Promise<Response> {
  const models = configuredModels(config)
  const appLog = requestLog(log)
  const known = { backends: [...usedBackends(config), ...payees(config)], models: modelsToName(config, models) }
  // A gateway alone lacks nothing.
  const onHealth = (found: ExecutorHealth) => {
    if (!parts.gateway || !lacksPrograms(found)) appLog.onHealth(found)
  }
  const metrics = createMetrics({ ...parts, executor, version, known, onHealth })
  hearCalls?.(metrics.observeCall)
  const app = createApp({
    ...parts,
    executor,
    keys: config.apiKeys,
    onUpstreamCall(call) {
      logUpstreamCall(log, call)
      metrics.observeCall(call)
    },
    metrics,
    signIn: config.page === 'on' ? signIn : undefined,
    keyRing: accounts && { keys: accounts.keyRing.keys, isRequired: !config.host.every(isLoopback) },
    budget: accounts?.budget,
    models: offeredOver(models, offered),
    defaultModel: config.model,
    allowedHosts: hostsFor(config),
    allowedOrigins: config.allowedOrigins,
    version,
    page: config.page === 'on' ? async () => (await import('../../web-ui/page.tsx')).createPage() : undefined,
    ...appLog,
    onHealth,
  })
  return (request, connection) => app.fetch(request, { connection })
}

/** Joined again only when the CLI offers others: every request asks. */
function offeredOver(models: ModelMap, offered: () => readonly OfferedModel[]): () => ModelMap {
  let joined: { readonly with: readonly OfferedModel[]; readonly models: ModelMap } | undefined
  return () => {
    const now = offered()
    if (joined?.with !== now) joined = { with: now, models: withOffered(models, now) }
    return joined.models
  }
}

/** Beyond loopback a key is required, so the Host header is checked only where the user names hosts. */
function hostsFor({ host, allowedHosts }: Config): readonly string[] {
  return host.every(isLoopback) || allowedHosts.length > 0 ? allowedHosts : ['*']
}

/** Names of models that the operator has chosen, so that none of a caller is among them. */
function modelsToName(config: Config, models: ModelMap): readonly string[] {
  const mapped = Object.values(models).map((entry) => entry.model)
  const writing = modelsThatWrite(config).map((name) => name.slice(name.indexOf('/') + 1))
  return [config.model, config.searchModel, ...mapped, ...writing].filter((name) => name !== undefined)
}
