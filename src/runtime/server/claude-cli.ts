import { findClaude, installFolders } from '../../executor/backends/claude/cli/find.ts'
import type { ClaudeProbe } from '../../executor/backends/claude/cli/probe.ts'
import type { LoadedConfig } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { Interrupted } from '../config/usage-error.ts'
import { packageRoot } from '../shell/package-root.ts'
import type { Environment } from '../shell/shell.ts'
import { fetchedClaudeFolders } from './fetched-claude.ts'
import { openScratch } from './scratch.ts'

/**
 * The path of the CLI: from the settings, otherwise from PATH, otherwise from where installers put it, otherwise the one
 * that csp has fetched, otherwise from csp's own dependencies.
 */
export function claudeBinary({ claudeBin }: Pick<Config, 'claudeBin'>, environment: Environment): string | undefined {
  const folders = [...installFolders(environment), ...fetchedClaudeFolders(environment)]
  return findClaude({ ...environment, CSP_CLAUDE_BIN: claudeBin }, [packageRoot], folders)
}

/** Probes the CLI that a search would use, without searching. */
export async function probeClaude(config: LoadedConfig['config'], environment: Environment): Promise<ClaudeProbe> {
  // Searching is not loaded by commands that only want to know where the CLI is, `serve` among them.
  const { probe } = await import('../../executor/backends/claude/cli/probe.ts')
  const scratch = openScratch()
  const look = (from: Environment) =>
    probe({
      binary: claudeBinary(config, environment),
      named: config.claudeBin,
      environment: from,
      workingDirectory: scratch.folder('work'),
      auth: config.auth,
    })
  try {
    if (!config.sandbox) return await look(environment)
    const { serveSandbox } = await import('./serve-sandbox.ts')
    const sandbox = serveSandbox(environment, scratch.folder('home'))
    try {
      return await look(sandbox.environment)
    } finally {
      await sandbox.stop()
    }
  } finally {
    scratch.remove()
  }
}

/** Has the CLI make a token for another machine, in this terminal, where only it and the user see it. Returns its code. */
export async function makeToken(binary: string, environment: Environment): Promise<number> {
  return Bun.spawn([binary, 'setup-token'], { env: environment, stdio: ['inherit', 'inherit', 'inherit'] }).exited
}

/** Arguments with which the CLI signs in: it prints a link, and reads the code that its page shows. */
export const signInArguments: readonly string[] = ['auth', 'login']

/** Has the CLI sign in, in this terminal, and probes it again. Throws `Interrupted` if Ctrl-C ended the login. */
export async function signIn(
  binary: string,
  config: LoadedConfig['config'],
  environment: Environment,
): Promise<ClaudeProbe> {
  const login = Bun.spawn([binary, ...signInArguments], { env: environment, stdio: ['inherit', 'inherit', 'inherit'] })
  // It reads the key itself, so that csp gets no signal.
  if ((await login.exited) === 130 || login.signalCode === 'SIGINT') throw new Interrupted('The login was stopped.')
  return probeClaude(config, environment)
}
