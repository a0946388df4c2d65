import { CommandError, UsageError } from '../../config/usage-error.ts'
import type { Program } from '../../shell/program.ts'

/** What a service runs. */
export interface ServicePlan {
  /** `csp serve` with its flags, by absolute paths. */
  readonly program: Program
  /** Added to what the manager gives it. Holds no secret. */
  readonly environment: Readonly<Record<string, string>>
  /** Where it logs, if the manager keeps no log itself. */
  readonly logFile: string
}

export interface ServiceState {
  /** Whether it starts with each login. */
  readonly isEnabled: boolean
  /** In the words of the manager; `undefined` if it says nothing. */
  readonly state: string | undefined
}

/** What starts csp with each login, and again after a failure. There is one service of each user. */
export interface ServiceManager {
  readonly name: 'systemd' | 'launchd'
  /** The file that defines the service; it is there while the service is installed. */
  readonly file: string
  /**
   * Writes the definition, in the place of an earlier one, and restarts the service. Throws a `UsageError` for what
   * the definition cannot hold, and a `ServiceError` when the manager fails; the definition is written by then.
   */
  install(plan: ServicePlan): Promise<void>
  state(): Promise<ServiceState>
  /** Throws a `ServiceError`. */
  restart(): Promise<void>
  /** Stops it until the next login. */
  stop(): Promise<void>
  /** Stops it, and removes its definition. Resolves to the files that were removed. */
  uninstall(): Promise<readonly string[]>
  /** What a user should know about an installed service. */
  hint(): Promise<string | undefined>
}

/** The manager did not do what it was asked for. The message says what to do. */
export class ServiceError extends CommandError {
  override readonly name = 'ServiceError'
}

/** The text, if it can stand in the definition of a service. Throws a `UsageError` for what would begin another line. */
export function definitionText(text: string): string {
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text
  throw new UsageError(`A service cannot hold a line break or another control character: ${JSON.stringify(text)}`)
}
