import { readFileSync } from 'node:fs'
import { errorCode } from '@csp/lib/errors'

/** Whether a process of this machine runs. A zombie, which was killed and not yet reaped, does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user answers EPERM, and runs.
    return errorCode(error) === 'EPERM'
  }
  return processFields(pid)?.[0] !== 'Z'
}

/**
 * The fields in `/proc/PID/stat` behind the name, which may contain anything, also parentheses: the state, one letter,
 * first. `undefined` if there is no such file.
 */
export function processFields(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return undefined
  }
}
