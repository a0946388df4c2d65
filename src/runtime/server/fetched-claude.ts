import { mkdirSync, rmSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { findNpm, npmEnvironment } from '../shell/npm.ts'
import { runProgram } from '../shell/run-program.ts'
import type { Environment } from '../shell/shell.ts'

/** Where csp keeps a CLI that it has fetched itself; `undefined` for a user without a home. */
export function fetchedClaudeFolder(environment: Environment): string | undefined {
  const { XDG_DATA_HOME: named, HOME: home } = environment
  if (named && isAbsolute(named)) return join(named, 'csp/claude-code')
  return home && isAbsolute(home) ? join(home, '.local/share/csp/claude-code') : undefined
}

/**
 * The folders that may have its program. They are named rather than resolved, since Bun remembers in a process that a
 * package was not there.
 */
export function fetchedClaudeFolders(environment: Environment): readonly string[] {
  const folder = fetchedClaudeFolder(environment)
  const target = `${packageName}-${process.platform}-${process.arch}`
  return folder ? [target, `${target}-musl`].map((name) => join(folder, 'node_modules', name)) : []
}

const packageName = '@anthropic-ai/claude-code'
/** The version that csp is tested with. */
const version = manifest.dependencies[packageName]

/** What would be fetched, from where and into which folder, for the question whether it may be. */
export function aboutFetch(folder: string): string {
  return `${packageName} ${version} from npm into ${folder}: some 170 MB to download, 370 MB on disk`
}

/**
 * Has npm fetch the CLI into the folder, without running a script of any package: csp takes the program out of the
 * package of this platform. Resolves to why it failed.
 */
export async function fetchClaude(folder: string, environment: Environment): Promise<string | undefined> {
  const npm = findNpm(environment)
  if (!npm) return 'npm is not on PATH.'
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const command = [npm, 'install', '--prefix', folder, ...flags, `${packageName}@${version}`]
  const env = npmEnvironment(environment)
  // npm is a script of the node that lies beside it.
  const PATH = `${env['PATH'] ?? ''}${delimiter}${dirname(environment['CSP_NODE'] ?? npm)}`
  const { code, output, errors } = await runProgram(command, {
    env: { ...env, PATH },
    cwd: folder,
    timeoutMs: longestMs,
  })
  if (code === 0) return undefined
  rmSync(folder, { recursive: true, force: true })
  const said = `${output}\n${errors}`.trim().split('\n').slice(-3).join(' ')
  return said || 'npm was stopped.'
}

const longestMs = 15 * 60_000
