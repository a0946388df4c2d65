import { z } from 'zod'
import { parseJson } from '../../../../lib/json.ts'
import { SearchServer } from '../search-server/server.ts'
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

export interface ProbeOptions {
  /** Path of the CLI, if found. */
  readonly binary: string | undefined
  readonly environment: Environment
  readonly workingDirectory: string
  readonly auth: Auth
  /** Whether WebSearch is offered over MCP. By default asks a server that it starts and stops. */
  readonly offersSearch?: (() => Promise<boolean>) | undefined
  /** Stops the processes of the probe. */
  readonly signal?: AbortSignal | undefined
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
  const { binary } = options
  if (!binary) return unusable(notFound)
  const [version, help, status, direct] = await Promise.all([
    run(options, binary, ['--version']),
    run(options, binary, ['--help']),
    run(options, binary, loginArguments),
    (options.offersSearch ?? (() => askServer(options, binary)))().catch(() => false),
  ])
  const known = new Set([...requiredFlags, ...optionalFlags].filter((flag) => hasFlag(help.output, flag)))
  const missing = help.output ? requiredFlags.filter((flag) => !known.has(flag)) : []
  const versionNumber = /\d+\.\d+\.\d+/.exec(version.output)?.[0]
  return {
    binary,
    version: versionNumber,
    flags: { known, missing },
    ...readLogin(status.output),
    direct,
    problem: problemOf(binary, versionNumber, missing, version.stderr),
  }
}

/** The probe of a CLI that could not be probed. */
export function unusable(problem: string): ClaudeProbe {
  return { flags: { known: new Set(), missing: [] }, direct: false, problem }
}

const notFound =
  'The Claude Code CLI is not installed. Install it with `npm install -g @anthropic-ai/claude-code`, then run `claude` once to sign in.'

function problemOf(binary: string, version: string | undefined, missing: readonly string[], stderr: string) {
  if (!version) return `${binary} does not run as the Claude Code CLI. ${stderr.trim().split('\n')[0] ?? ''}`.trim()
  if (missing.length > 0) return `This Claude Code CLI (${version}) is too old: it lacks ${missing.join(', ')}.`
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

function readLogin(output: string): Pick<ClaudeProbe, 'signedIn' | 'authMethod' | 'subscription'> {
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

async function run(options: ProbeOptions, binary: string, args: readonly string[]) {
  const lines: string[] = []
  try {
    const command = [binary, ...args]
    const child = startProcess({ ...place(options), command, onLine: (line) => lines.push(line) })
    child.closeInput()
    const stop = () => void child.stop()
    const timer = setTimeout(stop, timeoutMs)
    options.signal?.addEventListener('abort', stop, { once: true })
    if (options.signal?.aborted) stop()
    const { stderr } = await child.exited
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
    return { output: lines.join('\n'), stderr }
  } catch (error) {
    return { output: '', stderr: error instanceof Error ? error.message : '' }
  }
}

const timeoutMs = 10_000

function place({ environment, auth, workingDirectory }: ProbeOptions) {
  return { environment: childEnvironment({ environment, auth, effort: 'low' }), directory: workingDirectory }
}
