import { existsSync } from 'node:fs'
import { messageOf } from '@csp/lib/errors'
import { MemoryFile } from '../../../storage/page-memory/memory-file.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { CommandError } from '../../config/usage-error.ts'
import { memoryBytes, memoryPath } from '../../server/open-memory.ts'

/** Works with the memory of this user, which a csp that runs may use meanwhile; `empty` if there is none yet. */
export function withMemory<Value>(
  { stateDir }: LoadedConfig['config'],
  empty: Value,
  work: (file: MemoryFile, path: string) => Value,
): Value {
  const path = memoryPath(stateDir)
  if (!existsSync(path)) return empty
  try {
    const file = new MemoryFile({ path, maxBytes: memoryBytes })
    try {
      return work(file, path)
    } finally {
      file.close()
    }
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`The memory cannot be used: ${messageOf(error)}`)
  }
}
