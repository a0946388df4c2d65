import { readFileSync } from 'node:fs'
import { errorCode } from '../lib/errors.ts'

/** Whether a process of this machine runs. A zombie, which was killed and not yet reaped, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user answers EPERM, and runs.
    return errorCode(error) === 'EPERM'
  }
  return stateOf(pid) !== 'Z'
}

/** The state in `/proc/PID/stat`, one letter. The name before it may contain anything, also parentheses. */
function stateOf(pid: number): string | undefined {
  try {
    return /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
