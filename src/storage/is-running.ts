import { readFileSync } from 'node:fs'
import { errorCode } from '../lib/errors.ts'

/** Whether a process of this machine runs. One that was killed and that nobody has asked after yet does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user answers EPERM, and runs.
    return errorCode(error) === 'EPERM'
  }
  return stateOf(pid) !== 'Z'
}

/** As Linux tells it, one letter. The name before it may hold anything, parentheses too. */
function stateOf(pid: number): string | undefined {
  try {
    return /^.*\) (\w)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
