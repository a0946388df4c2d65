import { lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { SearchError } from '../../../../domain/error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Who pays: the signed-in subscription, or an API key taken from the environment. */
export type Auth = 'subscription' | 'api-key'

export interface LaunchOptions {
  /** The environment that the child's is selected from. */
  readonly environment: Environment
  readonly auth: Auth
  /** A model name or alias as the CLI takes it. Absent: the CLI's own choice. */
  readonly model?: string | undefined
  readonly effort: 'low' | 'medium' | 'high'
}

/** Which tools of the CLI's a worker's model may use. An answerer has none: the API itself searches for it. */
export type WorkerKind = 'writer' | 'searcher' | 'answerer' | 'chat'

/**
 * Creates the folder that a CLI runs in when it is missing: temporary folders are cleaned of what has not been used for
 * days. Throws `unavailable` when it cannot be created, or belongs to another user.
 */
export function ensureDirectory(path: string): void {
  let isNew: boolean
  try {
    isNew = mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined
  } catch (error) {
    throw new SearchError('unavailable', 'The folder that Claude runs in is missing and cannot be created.', {
      cause: error,
    })
  }
  // Others can write to the temporary folder: a new folder is trusted only if its parent is ours too.
  const isTrusted = isOurs(path) && (!isNew || isOurs(dirname(path)))
  if (isTrusted) return
  // Otherwise it would be an old folder the next time.
  if (isNew) rmdirSync(path)
  throw new SearchError('unavailable', 'The folder that Claude runs in belongs to another user.')
}

/** Whether it is a folder of this user, and no link to one. */
export function isOurs(path: string): boolean {
  const stat = lstatSync(path)
  return stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid())
}

const inherited = new Set([
  ...['HOME', 'USER', 'LOGNAME', 'PATH', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_OAUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  ...['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'SystemRoot', 'ComSpec'], // Windows
])

/** Variables that make the CLI bill something else than the subscription. */
const billing = new Set([
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_CUSTOM_HEADERS'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
])

/** What `--auth api-key` also passes on: what those services need to sign a request. */
const cloud = /^(AWS_|GOOGLE_|CLOUD_ML_|ANTHROPIC_VERTEX_|ANTHROPIC_BEDROCK_|ANTHROPIC_FOUNDRY_|VERTEX_)/

/** The variables set in an environment that would bill something else than the subscription. */
export function strayCredentials(environment: Environment): readonly string[] {
  return [...billing].filter((name) => environment[name])
}

/** The whole environment of a CLI: an allow-list, plus settings for the CLI. */
export function childEnvironment({ environment, auth, model, effort }: LaunchOptions): Record<string, string> {
  const child: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    const passes = inherited.has(name) || name.startsWith('LC_') || (auth === 'api-key' && isCredential(name))
    if (passes && value !== undefined) child[name] = value
  }
  return {
    ...child,
    ...(model && { ANTHROPIC_MODEL: model }),
    CLAUDE_CODE_EFFORT_LEVEL: effort,
    CLAUDE_CODE_MAX_RETRIES: '1', // the default of ten takes over a minute on a permanent fault
    // A stream that breaks is asked for again as a stream: what the CLI else does instead can take minutes in silence.
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
    // A refusal stands: the CLI would ask the same model once more, or another one.
    CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
    CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Beside `--restricted` and the joiner behind each `@`: no path in a prompt is replaced by the file.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // A session serves many callers: csp's own budget counts, not the CLI's of 200 searches and 100 more an hour.
    CLAUDE_CODE_MAX_WEB_SEARCHES_PER_SESSION: '100000',
    CLAUDE_CODE_WEB_SEARCH_REFILLS_PER_HOUR: '3600',
    DISABLE_AUTOUPDATER: '1',
  }
}

/** The variables that may say whose login a CLI uses: all that it gets but those of places, languages and time. */
export function loginEnvironment(options: Pick<LaunchOptions, 'environment' | 'auth'>): Record<string, string> {
  const entries = Object.entries(childEnvironment({ ...options, effort: 'low' }))
  return Object.fromEntries(entries.filter(([name]) => !isOfPlace(name)))
}

const isOfPlace = (name: string) => /^(?:PATH|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|TEMP|TMP|XDG_RUNTIME_DIR)$/.test(name)

/**
 * In place of `childEnvironment`, for a CLI that is asked for the use of the plan: it does not ask its server while it
 * may make no request but for model calls.
 */
export function usageEnvironment(options: LaunchOptions): Record<string, string> {
  const { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: _, ...child } = childEnvironment(options)
  return { ...child, DISABLE_TELEMETRY: '1', DISABLE_ERROR_REPORTING: '1' }
}

const isCredential = (name: string) => billing.has(name) || cloud.test(name)

/**
 * Ignores the user's settings: otherwise their `env` and `apiKeyHelper` would replace the subscription's login, and
 * their hooks would run. Measured: `mcp serve` accepts it only before the subcommand.
 */
const noSettings = '--setting-sources='

/** Arguments that ask how the CLI is signed in, without the user's settings, as the engines run. */
export const loginArguments: readonly string[] = [noSettings, 'auth', 'status']

/** Arguments for the MCP server whose WebSearch the direct engine calls. */
export const directArguments: readonly string[] = [noSettings, 'mcp', 'serve']

/** Flags that a worker needs to be safe and usable: a CLI that lacks one is rejected. */
export const requiredFlags: readonly string[] = [
  ...['--print', '--input-format', '--output-format', '--verbose', '--include-partial-messages'],
  ...['--tools', '--allowedTools', '--strict-mcp-config', '--setting-sources', '--system-prompt'],
]

/** Flags that add a second safeguard where the CLI has them. */
export const optionalFlags: readonly string[] = ['--restricted', '--permission-prompts', '--no-session-persistence']

/** Allows the caller's tools, which a worker has for one request. None is ever run. */
const clientTools = 'mcp__client'

/** Arguments for a worker that takes its prompts on standard input. `flags`: those that the installed CLI knows. */
export function workerArguments(kind: WorkerKind, systemPrompt: string, flags: ReadonlySet<string>): readonly string[] {
  const tools =
    kind === 'searcher'
      ? ['--tools=WebSearch', `--allowedTools=WebSearch,${clientTools}`]
      : ['--tools=', `--allowedTools=${clientTools}`]
  const optional = { '--restricted': [], '--permission-prompts': ['none'], '--no-session-persistence': [] }
  return [
    ...['--print', '--verbose', '--include-partial-messages'],
    ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
    ...[...tools, '--strict-mcp-config', noSettings, '--system-prompt', systemPrompt],
    ...Object.entries(optional).flatMap(([flag, values]) => (flags.has(flag) ? [flag, ...values] : [])),
  ]
}
