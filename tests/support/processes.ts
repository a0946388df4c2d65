export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** Program and arguments, joined with spaces. */
  readonly command: string
}

/** Every process of this machine that runs. A zombie does not, unless asked for. */
export function runningProcesses({ zombies = false } = {}): readonly RunningProcess[] {
  const { stdout } = Bun.spawnSync(['ps', '-A', '-ww', '-o', 'pid=,ppid=,stat=,args='])
  return [...stdout.toString().matchAll(/^ *(\d+) +(\d+) +(\S+) +(.*)$/gm)]
    .filter(([, , , state = '']) => zombies || !state.startsWith('Z'))
    .map(([, pid, parent, , command = '']) => ({ pid: Number(pid), parent: Number(parent), command }))
}

/** The children of this process. */
export function children(options?: { readonly zombies?: boolean }): readonly RunningProcess[] {
  return runningProcesses(options).filter(({ parent, command }) => parent === process.pid && !command.startsWith('ps '))
}

/** Waits until a condition holds that no event tells of. Throws when it does not come to hold. */
export async function eventually(holds: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not come to hold: ${holds}`)
    await Bun.sleep(10)
  }
}

/** Waits until none of these processes runs. */
export function untilGone(pids: readonly number[]): Promise<void> {
  return eventually(() => !runningProcesses().some(({ pid }) => pids.includes(pid)))
}
