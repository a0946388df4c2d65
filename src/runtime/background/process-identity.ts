import { readFileSync } from 'node:fs'
import { isRunning, processFields } from '../../storage/is-running.ts'

/**
 * What tells a process from a later one with the same id: when it began, of which boot. `undefined` if no such
 * process runs, or the system does not say.
 */
export function identityOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined
  return process.platform === 'linux' ? linuxIdentity(pid) : reportedIdentity(pid)
}

function linuxIdentity(pid: number): string | undefined {
  try {
    const start = processFields(pid)?.[startField]
    return start && `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${start}`
  } catch {
    return undefined
  }
}

/** In clock ticks since the boot. */
const startField = 19

/** macOS and the BSDs; Windows has no `ps`. */
function reportedIdentity(pid: number): string | undefined {
  try {
    const { stdout, success } = Bun.spawnSync(['ps', '-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } })
    return (success && stdout.toString().trim()) || undefined
  } catch {
    return undefined
  }
}
