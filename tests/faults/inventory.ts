import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { CspProcess } from '../support/csp-process.ts'
import { descendantsOf } from '../support/processes.ts'

/** What a csp holds of its machine. Linux only. */
export interface Inventory {
  /** Resident memory of csp itself, in MB. */
  readonly memoryMb: number
  /** Resident memory of its CLIs together, in MB. */
  readonly claudeMb: number
  /** Open file handles of csp, sockets included. */
  readonly handles: number
  readonly sockets: number
  /** Processes below csp. */
  readonly processes: number
  /** Files and folders in its folder for temporary files, less its cache. */
  readonly temporaries: number
}

/** Counts once. */
export function takeInventory(csp: CspProcess): Inventory {
  const pid = csp.serverPid()
  const handles = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`))
  const below = descendantsOf(pid).map((child) => child.pid)
  return {
    memoryMb: Math.round(residentMb(pid)),
    claudeMb: Math.round(below.reduce((sum, child) => sum + residentMb(child), 0)),
    handles: handles.length,
    sockets: handles.filter((target) => target.startsWith('socket:')).length,
    processes: below.length,
    temporaries: filesIn(csp.home),
  }
}

function targetOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // closed meanwhile
  }
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0 // ended meanwhile
  }
}

/** The CLI keeps files of its own in its HOME, which is the same folder here. */
function filesIn(home: string): number {
  const names = readdirSync(home).filter((name) => name.startsWith('csp-') || name.startsWith('claude-'))
  return names.reduce((sum, name) => sum + 1 + readdirSync(join(home, name), { recursive: true }).length, 0)
}
