import { readFileSync } from 'node:fs'
import { isRunning } from '../../storage/is-running.ts'

/**
 * What tells a process from a later one with the same id: when it began, of which boot. `undefined` where no such
 * process runs, or the system does not say.
 */
export function identityOf(pid: number): string | undefined {
  if (!isRunning(pid)) return undefined
  return process.platform === 'linux' ? linuxIdentity(pid) : reportedIdentity(pid)
}

function linuxIdentity(pid: number): string | undefined {
  try {
    // The name of the process stands in parentheses and may contain anything; the start is the 20th field behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)\s/s, '')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${fields.split(' ')[19]}`
  } catch {
    return undefined
  }
}

/** macOS and the BSDs; Windows has no `ps`. */
function reportedIdentity(pid: number): string | undefined {
  try {
    const { stdout, success } = Bun.spawnSync(['ps', '-o', 'lstart=', '-p', String(pid)], { env: { LC_ALL: 'C' } })
    return (success && stdout.toString().trim()) || undefined
  } catch {
    return undefined
  }
}
