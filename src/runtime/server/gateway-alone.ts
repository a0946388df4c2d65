import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeFolder } from '../config/home.ts'
import type { Config } from '../config/settings.ts'
import type { Environment } from '../shell/shell.ts'
import { hasUpstreams } from '../upstream-plans.ts'
import { claudeBinary } from './claude-cli.ts'

/**
 * Whether csp is a gateway alone: it has upstreams, and nothing to search with but a CLI that is not installed, or that
 * nobody has signed in. Looks again each time: a login ends it. Starts nothing.
 */
export function isGatewayAlone(config: Config, environment: Environment): boolean {
  const { gateway, backends, writers = [], auth } = config
  const usesClaude = writers.includes('claude') || gateway.some(({ url }) => url === undefined)
  if (!hasUpstreams(config) || backends.join() !== 'claude' || usesClaude) return false
  return claudeBinary(config, environment) === undefined || (auth === 'subscription' && !hasLogin(environment))
}

/** Whether there is any sign of a login of the CLI. macOS has the login itself in its keychain, and the CLI a note of it. */
function hasLogin(environment: Environment): boolean {
  if (environment['CLAUDE_CODE_OAUTH_TOKEN']) return true
  const home = homeFolder(environment)
  const own = environment['CLAUDE_CONFIG_DIR']
  return (
    existsSync(join(own || join(home, '.claude'), '.credentials.json')) || hasNote(join(own || home, '.claude.json'))
  )
}

function hasNote(file: string): boolean {
  try {
    return process.platform === 'darwin' && readFileSync(file, 'utf8').includes('"oauthAccount"')
  } catch {
    return false
  }
}
