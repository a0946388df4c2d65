import type { Limits } from '../../executor/layers/metering/budget.ts'

/** A stored key: its hash, never the key itself. */
export interface KnownKey {
  /** The name of its holder, for the ledger and messages. */
  readonly name: string
  /** SHA-256, 64 lower-case hexadecimal digits. */
  readonly digest: string
  readonly limits?: Limits | undefined
  /** Whether a program of the user who runs this csp sent it. */
  readonly isLocal?: true | undefined
}
