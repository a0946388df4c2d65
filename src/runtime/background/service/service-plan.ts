import { delimiter, dirname, resolve } from 'node:path'
import { strayCredentials } from '../../../executor/backends/claude/cli/launch.ts'
import type { Flags, LoadedConfig } from '../../config/config.ts'
import { backendSettings } from '../../config/declarations/backends.ts'
import { namesFile, settings, usedBackends } from '../../config/settings.ts'
import { UsageError } from '../../config/usage-error.ts'
import { claudeBinary } from '../../server/claude-cli.ts'
import { installWay } from '../../shell/distribution.ts'
import { csp, docsPage, lastingPath, serviceProgram } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { logFile } from '../log-file.ts'
import type { ServiceManager, ServicePlan } from './service-manager.ts'

/** The terminal that a service is installed from. */
export interface ServiceOrigin {
  readonly environment: Environment
  readonly directory: string
  readonly loaded: LoadedConfig
  readonly flags: Flags
}

/**
 * The command of the service: csp with the flags and variables of this terminal, except for secrets. `args` are those of
 * csp. Throws a `UsageError` where this csp will not be there at the next login.
 */
export function planService(
  { environment, loaded: { config }, directory }: ServiceOrigin,
  args: readonly string[],
  manager: ServiceManager['name'],
): ServicePlan {
  const program = serviceProgram(environment, ...args)
  if (!program) throw new UsageError(temporary)
  const PATH = lastingPath(environment)
  const claude = claudeBinary(config, { ...environment, PATH })
  return {
    program,
    environment: {
      // The CLI may be a script for the node beside it.
      PATH: [...new Set([...PATH.split(delimiter), dirname(program.command)])].filter(Boolean).join(delimiter),
      ...keptVariables(environment, directory),
      ...(claude && { CSP_CLAUDE_BIN: resolve(directory, claude) }),
      CSP_MANAGER: manager,
    },
    logFile: logFile(config.stateDir),
  }
}

const temporary = `npx removes this copy of csp; a service needs an installed one. Install it by ${installWay}, then run ${csp} start --at-login.`

/** Flags that mean the same in another folder, and hold no secret. */
export function keptFlags(flags: Flags, directory: string): Flags {
  const entries = Object.entries(flags).flatMap(([flag, value]) => {
    const setting = settings.find((each) => each.flag === flag)
    if (setting?.secret) return []
    const isPath = flag === 'config' || (setting && namesFile(setting))
    return [[flag, isPath && typeof value === 'string' ? resolve(directory, value) : value] as const]
  })
  return Object.fromEntries(entries)
}

/** The variables of this terminal that the service needs as well. */
export function keptVariables(environment: Environment, directory: string): Record<string, string> {
  const plain = settings.filter(({ secret, name }) => !secret && name !== 'claudeBin')
  const files = [...plain.filter(namesFile).flatMap(({ variable }) => variable ?? []), 'CSP_CONFIG']
  const own = plain.flatMap(({ variable }) => variable ?? [])
  const entries = [...new Set([...own, 'CSP_CONFIG', ...ofTheSystem])].flatMap((name) => {
    const value = environment[name]
    if (!value || holdsPassword(value)) return []
    return [[name, files.includes(name) ? resolve(directory, value) : value] as const]
  })
  return Object.fromEntries(entries)
}

/** Which variables the service leaves out because they are secret, and what to do instead: a line for each. */
export function omittedSecrets({ environment, loaded, flags }: ServiceOrigin): readonly string[] {
  const { config, path, origins } = loaded
  const usesGateway = origins.gatewayUrl !== 'default'
  const asked = Object.entries(backendSettings).flatMap(([backend, setting]) =>
    usedBackends(config).some((name) => name === backend) ? [setting as string] : [],
  )
  const lines = settings.flatMap((setting) => {
    const { flag, variable, theirs, secret, name } = setting
    if (!secret) return []
    const isUsed = theirs === undefined || (name === 'gatewayKey' ? usesGateway : asked.includes(name))
    const source = flags[flag] !== undefined ? `--${flag}` : variable && environment[variable] ? variable : undefined
    const from = isUsed ? source : undefined
    const keys = name === 'apiKeys' ? `, or make keys with ${csp} keys add NAME` : ''
    return from ? [`${from} is a secret, so the service does not include it. Set "${flag}" in ${path}${keys}.`] : []
  })
  const logins = [
    ...(environment['CLAUDE_CODE_OAUTH_TOKEN'] ? ['CLAUDE_CODE_OAUTH_TOKEN'] : []),
    ...(config.auth === 'api-key' ? strayCredentials(environment) : []),
  ].map(
    (name) =>
      `${name} is a secret, so the service does not include it. Sign in with the CLI, or see ${docsPage('running.md')}.`,
  )
  const proxies = ofTheSystem
    .filter((name) => holdsPassword(environment[name] ?? ''))
    .map((name) => `${name} holds a password, so the service does not include it.`)
  return [...lines, ...logins, ...proxies]
}

/** Variables with which programs find their files and the network. */
const ofTheSystem = [
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'CLAUDE_CONFIG_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'ANTHROPIC_BASE_URL'],
]

function holdsPassword(value: string): boolean {
  return /\/\/[^/\s]*@/.test(value)
}
