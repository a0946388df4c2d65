import { createHmac, randomBytes } from 'node:crypto'
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, parseJson } from '@csp/lib/json'
import { z } from 'zod'
import { fileAt, headOf } from '../../executor/backends/claude/cli/find.ts'
import { loginEnvironment, optionalFlags, requiredFlags } from '../../executor/backends/claude/cli/launch.ts'
import type { CliMemory } from '../../executor/backends/claude/cli/probe.ts'
import {
  type KnownOf,
  knownModels,
  maxModelName,
  type NativeMemory,
} from '../../executor/backends/claude/native-memory.ts'
import { replaceFile } from '../../storage/replace-file.ts'
import type { LoadedConfig } from '../config/config.ts'
import type { Environment } from '../shell/shell.ts'

const memorySchema = z.object({
  /** The key of the digests in this file. */
  secret: z.string().min(32),
  /** By what a file of the CLI is: path, inode, size and time. */
  facts: z.record(z.string(), z.object({ version: z.string(), flags: z.array(z.string()) })),
  /** By a digest of that file, the variables of the login and the state of its files. */
  logins: z.record(
    z.string(),
    z.object({
      at: z.number(),
      signedIn: z.literal(true),
      authMethod: z.string().optional(),
      subscription: z.string().optional(),
    }),
  ),
  /** By a digest of the CLI's version and the login, what is known of models that search within their call. */
  answers: z.record(z.string(), z.object({ at: z.number(), models: knownModels })).catch({}),
})

type Memory = z.infer<typeof memorySchema>

/**
 * Keeps what the CLI has said of itself in `claude-cli.json` of the state folder, which only the user can read: a first
 * search need not ask again, which takes the CLI half a second of a core. A login is known by a digest alone, for a day.
 */
export function createCliMemory(
  { stateDir, auth, sandbox }: Pick<LoadedConfig['config'], 'stateDir' | 'auth' | 'sandbox'>,
  environment: Environment,
  now: () => number = Date.now,
): CliMemory & { readonly answers: NativeMemory | undefined } {
  const path = join(stateDir, 'claude-cli.json')
  const loginOf = (file: string, secret: string) => {
    // Each sandbox has a folder and an address of its own.
    const state = sandbox ? 'sandbox' : stateOfLogin(environment, auth)
    return state && createHmac('sha256', secret).update(`${file}\n${state}`).digest('base64url')
  }
  let written = Promise.resolve()
  /** One after the other, so that none is lost. Without it the next search asks once more. */
  const change = (edit: (memory: Memory) => Memory) => {
    const write = async () => replaceFile(path, `${JSON.stringify(edit(read(path) ?? empty()))}\n`)
    written = written.then(write).catch(() => {})
    return written
  }
  const answersKey = (of: KnownOf, secret: string) => {
    const login = Object.entries(loginEnvironment({ environment, auth })).sort()
    const text = JSON.stringify([auth, of.version, of.authMethod, of.subscription, login])
    return createHmac('sha256', secret).update(text).digest('base64url')
  }
  const answers: NativeMemory = {
    recall(of) {
      const memory = read(path)
      const known = memory?.answers[answersKey(of, memory.secret)]
      return known && Math.abs(now() - known.at) < answersMs ? known.models : {}
    },
    remember: (of, models) =>
      change((memory) => {
        const key = answersKey(of, memory.secret)
        const { [key]: _, ...others } = memory.answers
        const kept = Object.fromEntries(Object.entries(models).filter(([name]) => name.length <= maxModelName))
        return { ...memory, answers: lastOf({ ...others, [key]: { at: now(), models: kept } }) }
      }),
  }
  return {
    answers: sandbox ? undefined : answers,
    recall(binary) {
      const file = identityOf(binary)
      const memory = file === undefined ? undefined : read(path)
      if (file === undefined || !memory) return {}
      const login = memory.logins[loginOf(file, memory.secret) ?? '']
      const isFresh = login && Math.abs(now() - login.at) < loginMs
      const { at: _, ...known } = login ?? { at: 0 }
      return { facts: memory.facts[file], login: isFresh ? known : undefined }
    },
    remember(binary, facts, { signedIn, authMethod, subscription }) {
      const file = identityOf(binary)
      if (file === undefined || !signedIn) return
      const before = read(path)
      const key = before && loginOf(file, before.secret)
      const known = before?.logins[key ?? '']
      const isKept = known && Math.abs(now() - known.at) < loginMs / 2
      if (before?.facts[file] && (isKept || !key)) return
      void change((memory) => {
        const digest = loginOf(file, memory.secret)
        const login = { at: now(), signedIn: true as const, authMethod, subscription }
        return {
          ...memory,
          facts: lastOf({ ...memory.facts, [file]: { ...facts, flags: [...facts.flags] } }),
          logins: lastOf({ ...memory.logins, ...(digest && { [digest]: login }) }),
        }
      })
    },
    forgetLogin() {
      const before = read(path)
      if (before && Object.keys(before.logins).length > 0) void change((memory) => ({ ...memory, logins: {} }))
    },
  }
}

/** A login may end on the other side. */
const loginMs = 86_400_000
/** Models come and go, and what a search finds changes. */
const answersMs = 30 * 86_400_000
const maxEntries = 8
const maxBytes = 100_000

function empty(): Memory {
  return { secret: randomBytes(32).toString('base64url'), facts: {}, logins: {}, answers: {} }
}

/** `undefined` for a file that is not there, not the user's own, or not what csp writes. */
function read(path: string): Memory | undefined {
  try {
    const { uid, size } = lstatSync(path)
    if (size > maxBytes || (process.getuid !== undefined && uid !== process.getuid())) return undefined
    return memorySchema.safeParse(parseJson(readFileSync(path, 'utf8'))).data
  } catch {
    return undefined
  }
}

function lastOf<Value>(entries: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries).slice(-maxEntries))
}

/**
 * What a file is, with the flags that csp asks for. `undefined` unless it is the CLI itself: behind the launcher of a version
 * manager the CLI changes and the launcher does not.
 */
function identityOf(binary: string): string | undefined {
  const file = fileAt(binary)
  return file !== undefined && isCliItself(binary) ? [file, ...requiredFlags, ...optionalFlags].join(' ') : undefined
}

function isCliItself(binary: string): boolean {
  try {
    if (statSync(binary).size >= minProgramBytes) return !isScript(binary)
    const about = parseJson(readFileSync(join(dirname(realpathSync(binary)), 'package.json'), 'utf8'))
    return isObject(about) && about['name'] === '@anthropic-ai/claude-code'
  } catch {
    return false
  }
}

function isScript(path: string): boolean {
  return headOf(path, 2).toString('latin1') === '#!'
}

/** The CLI is some 200 MB, and a launcher at most some 10. */
const minProgramBytes = 40_000_000

/**
 * What a login depends on: variables, and the file that the CLI keeps it in. `undefined` where that is not seen from
 * here, as in the keychain of macOS.
 */
function stateOfLogin(environment: Environment, auth: 'subscription' | 'api-key'): string | undefined {
  const variables = loginEnvironment({ environment, auth })
  const { CLAUDE_CONFIG_DIR, HOME, USERPROFILE } = variables
  const home = HOME || USERPROFILE
  const folder = CLAUDE_CONFIG_DIR || (home && join(home, '.claude'))
  const file = folder && fileAt(join(folder, '.credentials.json'))
  const hasToken = 'CLAUDE_CODE_OAUTH_TOKEN' in variables || auth === 'api-key'
  return file || hasToken ? JSON.stringify([auth, file, Object.entries(variables).sort()]) : undefined
}
