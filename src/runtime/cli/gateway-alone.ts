import type { Config } from '../config/settings.ts'
import { claudeBinary } from '../server/claude-cli.ts'
import type { Environment } from '../shell/shell.ts'
import { hasUpstreams } from '../upstream-plans.ts'

/** Whether csp is a gateway alone: it has upstreams, and nothing to search with but a CLI that is not installed. */
export function isGatewayAlone(config: Config, environment: Environment): boolean {
  return hasUpstreams(config) && config.backends.join() === 'claude' && claudeBinary(config, environment) === undefined
}
