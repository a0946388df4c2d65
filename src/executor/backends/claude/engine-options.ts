import type { RateLimitHealth } from '../../../domain/health.ts'
import type { OwnPrompts } from '../../../domain/own-prompts.ts'
import type { Auth, Environment } from './cli/launch.ts'
import type { CliMemory } from './cli/probe.ts'
import type { AnswersBy } from './native.ts'
import type { NativeMemory } from './native-memory.ts'

export interface EngineOptions {
  /** Finds the CLI; called again after a failure, since it may have been installed meanwhile. */
  readonly findBinary: () => string | undefined
  /** The path that the settings name, for messages. */
  readonly namedBinary?: string | undefined
  /** What the first probe need not ask again. */
  readonly memory?: CliMemory | undefined
  /** Keeps what is known of models that search within their call. */
  readonly nativeMemory?: NativeMemory | undefined
  /** The environment that the CLI's is selected from. */
  readonly environment: Environment
  /** An empty folder for the CLI alone. Created again when it is missing. */
  readonly workingDirectory: string
  /** For requests that name no model. */
  readonly model: string
  /** For lists of results, and for the search of an answer that a writer writes; by default the same. */
  readonly searchModel?: string | undefined
  /** `pages` by default; a csp's settings say `auto`. */
  readonly answers?: AnswersBy | undefined
  /** `none`: rows without excerpt and date, for fewer tokens. */
  readonly excerpts: 'lines' | 'none'
  /** In place of csp's own. */
  readonly prompts?: OwnPrompts | undefined
  readonly maxSessionSearches: number
  readonly sessionContext: 'clear' | 'keep'
  readonly auth: Auth
  /** The version of csp. */
  readonly version: string
  readonly log?: ((level: 'debug' | 'info' | 'warning', message: string) => void) | undefined
  /** A process is stopped after this time without work, in ms; five minutes by default. `Infinity` keeps it. */
  readonly idleMs?: number | undefined
  /** Hears of the usage limit with each model call of a worker that reports it. */
  readonly onRateLimit?: ((limit: RateLimitHealth) => void) | undefined
  readonly now?: (() => Date) | undefined
  /**
   * Whether a look at the CLI, such as the one for health, also starts the search server. It does by default; otherwise
   * the first search does.
   */
  readonly startsAhead?: boolean | undefined
  /** How often a search looks whether another CLI was installed, in ms; ten seconds by default. */
  readonly lookMs?: number | undefined
  /** How long health waits for a CLI that does not answer, in ms; five seconds by default. */
  readonly describeMs?: number | undefined
  /** How often a silent process at work is checked, in ms; see `Liveness`. */
  readonly livenessMs?: number | undefined
}
