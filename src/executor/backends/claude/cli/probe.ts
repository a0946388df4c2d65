import { parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { SearchError } from '../../../../domain/error.ts'
import { SearchServer } from '../search-server/server.ts'
import { placesSearched } from './find.ts'
import {
  type Auth,
  childEnvironment,
  directArguments,
  type Environment,
  loginArguments,
  optionalFlags,
  requiredFlags,
} from './launch.ts'
import { startProcess } from './process.ts'
import { tooOld, update, versionIn } from './version.ts'

export interface ProbeOptions {
  /** Path of the CLI, if found. */
  readonly binary: string | undefined
  /** The path that the settings name, where they name one. */
  readonly named?: string | undefined
  readonly environment: Environment
  readonly workingDirectory: string
  readonly auth: Auth
  /** Whether WebSearch is offered over MCP. By default asks a server that it starts and stops. */
  readonly offersSearch?: (() => Promise<boolean>) | undefined
  /** What need not be asked again. */
  readonly memory?: CliMemory | undefined
  /** Stops the processes of the probe. */
  readonly signal?: AbortSignal | undefined
}

/** What a CLI says of itself: the same as long as its file is. */
export interface CliFacts {
  readonly version: string
  /** The flags that csp uses and this CLI knows. */
  readonly flags: readonly string[]
}

/** A login as the CLI reports it. */
export type CliLogin = Pick<ClaudeProbe, 'signedIn' | 'authMethod' | 'subscription'>

/** What a probe has found before, of this file and of this login. Never throws. */
export interface CliMemory {
  recall(binary: string): { readonly facts?: CliFacts | undefined; readonly login?: CliLogin | undefined }
  /** Only of a CLI that can be used, and of a login that is there. */
  remember(binary: string, facts: CliFacts, login: CliLogin): void
  /** A search has failed for want of a login. */
  forgetLogin(): void
}

/** What the installed CLI is and can do. Nothing here costs a model call. */
export interface ClaudeProbe {
  readonly binary?: string | undefined
  readonly version?: string | undefined
  readonly flags: {
    /** The flags that csp uses and this CLI knows. */
    readonly known: ReadonlySet<string>
    /** The required flags that this CLI lacks. */
    readonly missing: readonly string[]
  }
  /** Absent when the CLI did not report it. */
  readonly signedIn?: boolean | undefined
  readonly authMethod?: string | undefined
  readonly subscription?: string | undefined
  /** Whether WebSearch can be called over MCP. */
  readonly direct: boolean
  /** Why it cannot be used, as a message for the user. */
  readonly problem?: string | undefined
}

/** Probes the CLI: version, flags, login and tools, concurrently. Never throws. */
export async function probe(options: ProbeOptions): Promise<ClaudeProbe> {
  const { binary, named } = options
  if (!binary) return unusable(named ? `${named} is not a program; --claude-bin (CSP_CLAUDE_BIN) names it.` : notFound)
  const { facts, login } = options.memory?.recall(binary) ?? {}
  const [told, signed, direct] = await Promise.all([
    facts
      ? { binary, version: facts.version, flags: { known: new Set(facts.flags), missing: [] } }
      : ask(options, binary),
    login ?? run(options, binary, loginArguments).then(({ output }) => readLogin(output)),
    (options.offersSearch ?? (() => askServer(options, binary)))().catch(() => false),
  ])
  const found: ClaudeProbe = { ...told, ...signed, direct }
  if (!found.problem && found.version && found.signedIn)
    options.memory?.remember(binary, { version: found.version, flags: [...found.flags.known] }, signed)
  return found
}

/** Asks the CLI for its version and its flags. */
async function ask(options: ProbeOptions, binary: string) {
  const [version, help] = await Promise.all([run(options, binary, ['--version']), run(options, binary, ['--help'])])
  const known = new Set([...requiredFlags, ...optionalFlags].filter((flag) => hasFlag(help.output, flag)))
  const missing = help.output ? requiredFlags.filter((flag) => !known.has(flag)) : []
  const versionNumber = versionIn(version.output)
  const problem = problemOf(binary, versionNumber, missing, version)
  return { binary, version: versionNumber, flags: { known, missing }, problem }
}

/** The failure of every search where the CLI is missing, too old or not the CLI. */
export function unusableFailure(problem: string): SearchError {
  return new SearchError('unavailable', problem, { cause: new UnusableCli('The CLI cannot be used.') })
}

/** Whether a search failed because of the installed CLI, which only its owner can change. */
export function isUnusableCli({ cause }: SearchError): boolean {
  return cause instanceof UnusableCli || (cause instanceof SearchError && isUnusableCli(cause))
}

class UnusableCli extends Error {
  override readonly name = 'UnusableCli'
}

/** The probe of a CLI that could not be probed. */
export function unusable(problem: string): ClaudeProbe {
  return { flags: { known: new Set(), missing: [] }, direct: false, problem }
}

const notFound = `The Claude Code CLI is not installed. \`csp login\` offers to fetch it from npm and signs in; or install it with \`npm install -g @anthropic-ai/claude-code\`. Looked in: ${placesSearched}. If it is elsewhere, set CSP_CLAUDE_BIN to its path.`

function problemOf(binary: string, number: string | undefined, missing: readonly string[], version: Ran) {
  if (version.isHung) return `${binary} does not answer: it ran for ${timeoutMs / 1000} s without output. ${update}`
  if (!number) {
    const first = version.stderr.trim().split('\n')[0]
    return `${binary} does not run as the Claude Code CLI. ${first ? `${first.replace(/\.?$/, '.')} ` : ''}${update}`
  }
  const problem = tooOld(number)
  if (problem) return problem
  if (missing.length > 0)
    return `This Claude Code CLI (${number}) is too old: it lacks ${missing.join(', ')}. ${update}`
  return undefined
}

function hasFlag(help: string, flag: string): boolean {
  return new RegExp(`(^|[\\s,])${flag}(?![\\w-])`, 'm').test(help)
}

const loginSchema = z.object({
  loggedIn: z.boolean(),
  authMethod: z.string().nullish().catch(undefined),
  subscriptionType: z.string().nullish().catch(undefined),
})

function readLogin(output: string): CliLogin {
  const parsed = loginSchema.safeParse(parseJson(output))
  if (!parsed.success) return {}
  const { loggedIn, authMethod, subscriptionType } = parsed.data
  return { signedIn: loggedIn, authMethod: authMethod ?? undefined, subscription: subscriptionType ?? undefined }
}

async function askServer(options: ProbeOptions, binary: string): Promise<boolean> {
  const command = [binary, ...directArguments]
  const process = { ...place(options), command }
  const server = await SearchServer.start({ process, version: '0', onGone: () => {}, signal: options.signal })
  await server.stop()
  return server.offersSearch
}

/** What one run of the CLI has brought. */
interface Ran {
  readonly output: string
  readonly stderr: string
  /** It was stopped because it did not end. */
  readonly isHung: boolean
}

async function run(options: ProbeOptions, binary: string, args: readonly string[]): Promise<Ran> {
  const lines: string[] = []
  try {
    const command = [binary, ...args]
    const child = startProcess({ ...place(options), command, onLine: (line) => lines.push(line) })
    child.closeInput()
    const stop = () => void child.stop()
    let isHung = false
    const timer = setTimeout(() => {
      isHung = true
      stop()
    }, timeoutMs)
    options.signal?.addEventListener('abort', stop)
    if (options.signal?.aborted) stop()
    const { stderr } = await child.exited
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
    return { output: lines.join('\n'), stderr, isHung }
  } catch (error) {
    return { output: '', stderr: error instanceof Error ? error.message : '', isHung: false }
  }
}

const timeoutMs = 10_000

function place({ environment, auth, workingDirectory }: ProbeOptions) {
  return { environment: childEnvironment({ environment, auth, effort: 'low' }), directory: workingDirectory }
}
