import { existsSync } from 'node:fs'
import { messageOf } from '@csp/lib/errors'
import { counted } from '@csp/lib/text'
import { inspectDatabase } from '../../../storage/page-memory/schema.ts'
import { isBroken } from '../../../storage/sqlite.ts'
import type { LoadedConfig } from '../../config/config.ts'
import { memoryBytes, memoryPath } from '../../server/open-memory.ts'
import { csp } from '../../shell/program.ts'
import { type Finding, resultsOf } from './finding.ts'

/** Whether the memory can be read. Looks alone: a csp that uses a broken file sets it aside. */
export function checkMemory({ stateDir, memory }: LoadedConfig['config']): Finding {
  const { ok, warn } = resultsOf('memory')
  const path = memoryPath(stateDir)
  const isOff = memory === 'off'
  if (!existsSync(path)) return ok(isOff ? 'off' : 'nothing is kept yet')
  try {
    const { pages, bytes } = inspectDatabase(path)
    const size = `${counted(pages, 'page')}, ${(bytes / 1e6).toFixed(1)} of ${memoryBytes / 1e6} MB`
    return isOff ? warn(`off, and ${size} are left`, `${csp} memory clear pages forgets them.`) : ok(size)
  } catch (error) {
    const remedy = isBroken(error) ? `csp sets it aside with the next search; ${csp} memory does so now.` : undefined
    return warn(`${path} cannot be read: ${messageOf(error)}`, remedy)
  }
}
