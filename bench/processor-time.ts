import { readFileSync } from 'node:fs'
import { descendantsOf } from '../tests/support/processes.ts'

/** Processor time that csp has taken so far, in ms. Linux only; else `NaN`. */
export interface ProcessorTime {
  /** Of the thread that serves. */
  readonly server: number
  /** Of all threads of csp, the server's included. */
  readonly csp: number
  /** Of the processes that csp has started and that still run. */
  readonly cli: number
}

export function processorTime(pid: number): ProcessorTime {
  return {
    server: ticksIn(`/proc/${pid}/task/${pid}/stat`),
    csp: ticksIn(`/proc/${pid}/stat`),
    cli: descendantsOf(pid).reduce((sum, child) => sum + ticksIn(`/proc/${child.pid}/stat`), 0),
  }
}

/** User and system time; a tick is 10 ms. The name of a process, in parentheses, may hold spaces. */
function ticksIn(file: string): number {
  try {
    const fields = readFileSync(file, 'utf8')
      .replace(/^.*\)\s+/s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return process.platform === 'linux' ? 0 : Number.NaN
  }
}
