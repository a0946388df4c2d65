import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { strayCredentials } from '../../../executor/backends/claude/cli/launch.ts'
import type { ClaudeProbe } from '../../../executor/backends/claude/cli/probe.ts'
import { tooOld } from '../../../executor/backends/claude/cli/version.ts'
import { homeFolder } from '../../config/home.ts'
import type { Config } from '../../config/settings.ts'
import { claudeBinary } from '../../server/claude-cli.ts'
import { csp } from '../../shell/program.ts'
import type { Environment } from '../../shell/shell.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Interprets a probe of the CLI: installed, new enough, able to search, signed in. `named`: the path from the settings. */
export function checkClaude(probe: ClaudeProbe, named: string | undefined, signIn: string): readonly Finding[] {
  const { binary, version, problem } = probe
  if (!binary && named) return [failed('claude', `${named} is not a program`, 'Correct --claude-bin, or leave it out.')]
  if (!binary) return [failed('claude', 'not found', probe.problem ?? update)]
  // A program that is not the CLI, hangs or exits has no flags and no login to speak of.
  if (!version && problem) return [failed('claude', problem, '')]
  const findings = [
    resultsOf('claude').ok(binary),
    checkVersion(probe),
    checkFlags(probe),
    checkWebSearch(probe),
    checkLogin(probe, signIn),
  ]
  const isExplained = findings.some(({ status }) => status === 'fail')
  return probe.problem && !isExplained ? [...findings, failed('probe', probe.problem, update)] : findings
}

/** Where csp is a gateway alone, a missing CLI is no fault, unless somebody has named one. */
export function wrongBesideGateway(config: Pick<Config, 'claudeBin'>, environment: Environment): readonly Finding[] {
  if (!config.claudeBin || claudeBinary(config, environment)) return []
  const message = `${config.claudeBin} is not a program; searches need it, the gateway does not`
  return [resultsOf('claude').warn(message, 'Correct --claude-bin, or leave it out.')]
}

const tested = '2.1.'
const update =
  'Update it with `npm install -g @anthropic-ai/claude-code@latest`, or name another one with --claude-bin.'

function checkVersion({ version }: ClaudeProbe): Finding {
  if (!version) return failed('version', 'the CLI does not report its version', update)
  const { ok, warn } = resultsOf('version')
  const old = tooOld(version)
  if (old) return failed('version', old, '')
  if (version.startsWith(tested)) return ok(version)
  const remedy = `Try \`${csp} doctor --live\`. If the search fails, install a tested version.`
  return warn(`${version}; csp was tested with ${tested}x`, remedy)
}

function checkFlags({ flags: { known, missing } }: ClaudeProbe): Finding {
  if (known.size === 0) return failed('flags', 'the CLI does not print its help', update)
  if (missing.length === 0) return resultsOf('flags').ok('all present')
  return failed('flags', `this CLI lacks ${missing.join(', ')}`, update)
}

function checkWebSearch({ direct }: ClaudeProbe): Finding {
  const { ok, warn } = resultsOf('web search')
  if (direct) return ok('offered')
  return warn('not offered as a tool; result lists take the slower strategy through a worker', update)
}

function checkLogin({ signedIn, authMethod, subscription }: ClaudeProbe, signIn: string): Finding {
  if (signedIn === false) return failed('login', 'signed out', signIn)
  const kind = [authMethod, subscription].filter(Boolean).join(', ')
  const { ok, warn } = resultsOf('login')
  return signedIn ? ok(`signed in${kind ? ` (${kind})` : ''}`) : warn('unknown', `Try \`${csp} doctor --live\`.`)
}

function failed(check: string, message: string, remedy: string): Finding {
  return { ...resultsOf(check).fail(message, remedy || undefined), concernsClaude: true }
}

/** Whether something other than the configured `auth` could be billed. */
export function checkCredentials({ auth }: Pick<Config, 'auth'>, environment: Environment): Finding {
  const { ok, warn } = resultsOf('billing')
  const strays = [
    ...strayCredentials(environment),
    ...(hasKeyHelper(environment) ? ['apiKeyHelper in settings.json'] : []),
  ]
  if (auth === 'api-key') {
    if (strays.length > 0) return ok(`--auth api-key, with ${strays.join(', ')}`)
    const remedy = 'Set ANTHROPIC_API_KEY, or leave --auth out to use your login.'
    return failed('billing', '--auth api-key, but no key is set', remedy)
  }
  if (strays.length === 0) return ok('the subscription pays')
  const remedy = 'No action needed. To pay with the key instead, use --auth api-key.'
  return warn(`the subscription pays; set and ignored: ${strays.join(', ')}`, remedy)
}

function hasKeyHelper(environment: Environment): boolean {
  const folder = environment['CLAUDE_CONFIG_DIR'] ?? join(homeFolder(environment), '.claude')
  try {
    const settings: unknown = JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'))
    return typeof settings === 'object' && settings !== null && 'apiKeyHelper' in settings
  } catch {
    return false
  }
}
