import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../lib/json.ts'
import { stateFolder } from './config/config.ts'
import { homeFolder } from './config/home.ts'
import { installationKind } from './shell/program.ts'
import type { Environment, Shell } from './shell/shell.ts'
import { version } from './version.ts'

/** A look at the registry for a newer csp, beside the work of a command. */
export interface UpdateCheck {
  /** What was learned so far; waits for nothing. */
  note(): string | undefined
  /** Settles when there is no more to learn. */
  readonly done: Promise<void>
}

/**
 * Asks npm's registry for the latest version, once a day, for the commands that a person waits for anyway. Nothing where
 * nobody reads it: no terminal, CI, or `CSP_NO_UPDATE_CHECK`.
 */
export function startUpdateCheck(args: readonly string[], shell: Shell): UpdateCheck | undefined {
  const { environment, errors } = shell
  const [command = 'serve'] = args
  const isOff = environment['CSP_NO_UPDATE_CHECK'] || environment['NO_UPDATE_NOTIFIER'] || environment['CI']
  if (isOff || !errors.isTerminal || !commandsWithNote.has(command)) return undefined
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

/** Those that take a while, or report on csp itself. */
const commandsWithNote: ReadonlySet<string> = new Set([
  ...['serve', 'init', 'start', 'restart', 'search', 'ask', 'fetch', 'status', 'doctor', 'version'],
])

const everyMs = 24 * 3_600_000

function checkedAt(file: string): number {
  try {
    const { checkedAt: time } = memorySchema.parse(parseJson(readFileSync(file, 'utf8')))
    return Math.min(Date.parse(time), Date.now())
  } catch {
    return 0
  }
}

const memorySchema = z.object({ checkedAt: z.iso.datetime() })

/** `undefined` where the registry does not answer, or knows no csp. */
async function latestVersion(environment: Environment): Promise<string | undefined> {
  const response = await fetch(`${registryOf(environment)}/claude-search-proxy/latest`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(5000),
  })
  if (!response.ok) return undefined
  return replySchema.safeParse(await response.json()).data?.version
}

const replySchema = z.object({ version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/) })

/** The registry that npm of this user is set to. */
function registryOf(environment: Environment): string {
  const named = environment['npm_config_registry'] || environment['NPM_CONFIG_REGISTRY'] || registryIn(environment)
  return (named ?? 'https://registry.npmjs.org').replace(/\/+$/, '')
}

function registryIn(environment: Environment): string | undefined {
  const file = environment['NPM_CONFIG_USERCONFIG'] || join(homeFolder(environment), '.npmrc')
  try {
    return /^\s*registry\s*=\s*"?(https?:\/\/[^"\s]+)"?\s*$/m.exec(readFileSync(file, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function noteOn(latest: string): string {
  const ways = {
    checkout: 'git pull && npm install',
    package: 'npm install -g claude-search-proxy@latest',
    binary: 'its release has the new binary',
  }
  return `csp ${latest} is out, this is ${version}: ${ways[installationKind]}. CSP_NO_UPDATE_CHECK=1 ends this note.\n`
}
