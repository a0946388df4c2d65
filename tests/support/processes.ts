import { readdirSync, readFileSync } from 'node:fs'
import { eventually } from '@csp/testing/eventually'

export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** Program and arguments, joined with spaces. */
  readonly command: string
}

// No test looks at all processes of the machine: another test, or another run of the suite, may run beside it.

/** The processes that one has started, and those that they have started. */
export function descendantsOf(root: number): readonly RunningProcess[] {
  const all = runningProcesses()
  const below = (parent: number): readonly RunningProcess[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child, ...below(child.pid)])
  return below(root)
}

/**
 * The processes whose arguments or environment contain a text, such as the path of a scratch folder. It finds those
 * too whose parent has died.
 */
export function processesNaming(mark: string): readonly RunningProcess[] {
  return runningProcesses().filter(({ pid, command }) => command.includes(mark) || environmentOf(pid).includes(mark))
}

/** Kills a process, unless it has ended since it was listed. */
export function killListed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The children of this process that have ended and have not been waited for. */
export function zombies(): readonly RunningProcess[] {
  return listProcesses().filter(({ isZombie, parent }) => isZombie && parent === process.pid)
}

function runningProcesses(): readonly RunningProcess[] {
  return listProcesses().filter(({ isZombie }) => !isZombie)
}

interface ListedProcess extends RunningProcess {
  readonly isZombie: boolean
}

/** Linux tells all of it in files, at a tenth of what a start of `ps` costs. */
function listProcesses(): readonly ListedProcess[] {
  if (process.platform !== 'linux') return listWithPs()
  return readdirSync('/proc').flatMap((name) => {
    // The name of the program stands in brackets, and may contain brackets itself.
    const [, state, parent] = /.*\) (\S) (\d+) /s.exec(readProc(`/proc/${name}/stat`)) ?? []
    if (!/^\d+$/.test(name) || !state) return []
    const command = readProc(`/proc/${name}/cmdline`).replaceAll('\0', ' ')
    return { pid: Number(name), parent: Number(parent), command: command.slice(0, -1), isZombie: state === 'Z' }
  })
}

function listWithPs(): readonly ListedProcess[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-ww', '-o', 'pid=,ppid=,stat=,args='])
  return [...stdout.toString().matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)].map(
    ([, pid, parent, state = '', command = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      command,
      isZombie: state.startsWith('Z'),
    }),
  )
}

function environmentOf(pid: number): string {
  if (process.platform === 'linux') return readProc(`/proc/${pid}/environ`)
  return Bun.spawnSync(['ps', 'eww', '-o', 'command=', '-p', String(pid)]).stdout.toString()
}

/** A file of the process list; empty where the process has ended, or belongs to another user. */
function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Waits until none of these processes runs. */
export function untilGone(pids: readonly number[]): Promise<void> {
  return eventually(() => !runningProcesses().some(({ pid }) => pids.includes(pid)))
}

/** The ids of the CLIs that this process has started and that run, by what they are for. An answerer looks like a writer. */
export function runningClaudes(): Readonly<Record<'direct' | 'writer' | 'searcher', readonly number[]>> {
  const ours = runningProcesses().filter(({ parent }) => parent === process.pid)
  const having = (argument: string) => ours.filter(({ command }) => command.includes(argument)).map(({ pid }) => pid)
  return { direct: having(' mcp serve'), writer: having(' --tools= '), searcher: having(' --tools=WebSearch ') }
}
