import type { Gateway } from '@csp/gateway/gateway'
import type { LoadedConfig } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import type { Environment } from '../shell/shell.ts'
import { secretHeaders, type UpstreamPlan, upstreamPlans } from '../upstream-plans.ts'

type Config = LoadedConfig['config']

/** The gateway of a server; `undefined` if there is no upstream. Its code is loaded where there is one. */
export async function openGateway(
  config: Config,
  environment: Environment,
  log: Log,
  sandbox: (() => Promise<string>) | undefined,
): Promise<Gateway | undefined> {
  const plans = upstreamPlans(config, environment)
  if (plans.length === 0 && !sandbox) return undefined
  const { createConfiguredGateway } = await import('../gateway.ts')
  const { capabilityFile } = await import('./capability-file.ts')
  const store = capabilityFile(config.stateDir)
  const keysOf = (plan: UpstreamPlan) => [...(plan.key ? [plan.key] : []), ...(plan.keys ?? []), ...secretHeaders(plan)]
  const secrets = [...plans.flatMap(keysOf), ...config.apiKeys]
  const aroundFetch = await openTrace(config, secrets, log)
  return createConfiguredGateway(config, environment, {
    store,
    log: (said) => log('warning', said),
    aroundFetch,
    sandbox,
  })
}

async function openTrace({ gatewayTrace: file }: Config, secrets: readonly string[], log: Log) {
  if (file === undefined) return undefined
  const { GatewayTrace } = await import('./gateway-trace.ts')
  const trace = new GatewayTrace({ file, secrets, log })
  return (send: Parameters<typeof trace.around>[0]) => trace.around(send)
}
