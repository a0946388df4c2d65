import { messageOf } from '@csp/lib/errors'
import type { KeyRing } from '../../api/http/auth.ts'
import type { Limits } from '../../executor/layers/metering/budget.ts'
import type { StoredKey } from '../config/stored-keys.ts'
import { readKeyFile, versionOfKeyFile } from './key-file.ts'

export interface KeyRingOptions {
  readonly path: string
  /** Called when a valid file has become invalid; the keys stay as they were. */
  readonly onProblem?: ((message: string) => void) | undefined
  /** Monotonic time, ms. */
  readonly elapsed?: (() => number) | undefined
}

export interface FileKeyRing extends KeyRing {
  /** Throws a `UsageError` when the file is damaged and was never valid. */
  keys(again?: boolean): Promise<readonly StoredKey[]>
  /** What a key may spend, as far as its file has been read. */
  limitsOf(name: string): Limits | undefined
}

/** The keys in a file. It is checked for changes when a key is looked up, at most once a second, and for an unknown key. */
export function createKeyRing(options: KeyRingOptions): FileKeyRing {
  const { path, onProblem, elapsed = () => performance.now() } = options
  let known: readonly StoredKey[] | undefined
  let version: string | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const look = async (): Promise<void> => {
    const found = await versionOfKeyFile(path)
    if (found === version) return
    try {
      known = await readKeyFile(path)
    } catch (error) {
      if (!known) throw error
      onProblem?.(messageOf(error))
    }
    version = found
  }

  return {
    async keys(again = false) {
      if (!known || again || elapsed() - lookedAt >= lookEveryMs) {
        looking ??= look().finally(() => {
          lookedAt = elapsed()
          looking = undefined
        })
        await looking
      }
      return known ?? []
    },
    limitsOf: (name) => known?.find((key) => key.name === name)?.limits,
  }
}

const lookEveryMs = 1000
