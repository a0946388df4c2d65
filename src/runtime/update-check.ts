import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, parseJson } from '@csp/lib/json'
import { homeFolder, stateFolder } from './config/home.ts'
import { distribution, upgradeWays } from './shell/distribution.ts'
import { findNpm, npmEnvironment } from './shell/npm.ts'
import { installationKind } from './shell/program.ts'
import type { Environment, Shell } from './shell/shell.ts'
import { version } from './version.ts'

/** A look for a newer csp, beside the work of a command. */
export interface UpdateCheck {
  /** What was learned so far; waits for nothing. */
  note(): string | undefined
  /** Settles when there is no more to learn. */
  readonly done: Promise<void>
}

/**
 * Asks npm for the latest version, once a day, beside commands that a person waits for anyway. Nothing where nobody reads
 * it: no terminal, CI, or `CSP_NO_UPDATE_CHECK`; and while npm has no csp, when a package of that name is somebody else's.
 */
export function startUpdateCheck(
  command: string,
  shell: Shell,
  isPublished = distribution.isPublished,
): UpdateCheck | undefined {
  const { environment, errors } = shell
  const isOff = environment['CSP_NO_UPDATE_CHECK'] || environment['NO_UPDATE_NOTIFIER'] || environment['CI']
  if (!isPublished || isOff || !errors.isTerminal || !commandsWithNote.has(command)) return undefined
  try {
    const file = join(stateFolder(environment), 'update.json')
    if (Date.now() - checkedAt(file) < everyMs) return undefined
    let found: string | undefined
    const done = latestVersion(environment).then((latest) => {
      if (latest === undefined) return
      mkdirSync(stateFolder(environment), { recursive: true, mode: 0o700 })
      writeFileSync(file, `${JSON.stringify({ checkedAt: new Date().toISOString(), latest })}\n`, { mode: 0o600 })
      if (Bun.semver.order(latest, version) > 0) found = noteOn(latest)
    })
    return { note: () => found, done: done.catch(() => {}) }
  } catch {
    // Without a home there is nowhere to remember it.
    return undefined
  }
}

/** Those that take longer than npm does. */
const commandsWithNote: ReadonlySet<string> = new Set(['serve', 'init', 'search', 'ask', 'research', 'fetch', 'doctor'])

const everyMs = 24 * 3_600_000

function checkedAt(file: string): number {
  try {
    const memory = parseJson(readFileSync(file, 'utf8'))
    const time = isObject(memory) ? Date.parse(String(memory['checkedAt'])) : 0
    // A time to come was written while the clock was wrong.
    return time <= Date.now() ? time : 0
  } catch {
    return 0
  }
}

/**
 * Asks npm, which knows its registry, proxy and certificates. `undefined` if there is no npm, or it does not learn of
 * a csp.
 */
async function latestVersion(environment: Environment): Promise<string | undefined> {
  const npm = findNpm(environment)
  if (!npm) return undefined
  const question = ['view', `${distribution.packageName}@latest`, 'version', '--logs-max=0', '--no-update-notifier']
  const child = Bun.spawn([npm, ...question], {
    // Not where csp was called: a folder of somebody else's may hold an `.npmrc`.
    cwd: homeFolder(environment),
    env: npmEnvironment(environment),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 10_000,
  })
  const end = () => child.kill()
  process.once('exit', end)
  try {
    const said = (await new Response(child.stdout).text()).trim()
    return (await child.exited) === 0 && /^\d{1,6}\.\d{1,6}\.\d{1,6}$/.test(said) ? said : undefined
  } finally {
    process.off('exit', end)
  }
}

function noteOn(latest: string): string {
  return `csp ${latest} is out, this is ${version}: ${upgradeWays[installationKind]}. CSP_NO_UPDATE_CHECK=1 ends this note.\n`
}
