export interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** Program and arguments, joined with spaces. */
  readonly command: string
}

/** Every process of this machine, less the zombies. */
export function runningProcesses(): readonly RunningProcess[] {
  return listProcesses().filter(({ isZombie }) => !isZombie)
}

/** The children of this process that have ended and that nobody has asked how. */
export function zombies(): readonly RunningProcess[] {
  return listProcesses().filter(({ isZombie, parent }) => isZombie && parent === process.pid)
}

function listProcesses(): readonly (RunningProcess & { readonly isZombie: boolean })[] {
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

/** The ids of the CLIs that this process has started and that run, by what they are for. */
export function runningClaudes(): Readonly<Record<'direct' | 'writer' | 'searcher', readonly number[]>> {
  const ours = runningProcesses().filter(({ parent }) => parent === process.pid)
  const having = (argument: string) => ours.filter(({ command }) => command.includes(argument)).map(({ pid }) => pid)
  return { direct: having(' mcp serve'), writer: having(' --tools= '), searcher: having(' --tools=WebSearch ') }
}
