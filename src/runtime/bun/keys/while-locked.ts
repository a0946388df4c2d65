import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode } from '../../../lib/errors.ts'
import { UsageError } from '../../config/usage-error.ts'

/**
 * Does some quick work on a file while no other csp does. The lock is a file beside it, `PATH.lock`; one that is older
 * than 10 seconds was left by a process that died, and is taken away. Throws a `UsageError` when it cannot be had.
 */
export async function whileLocked<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = `${path}.lock`
  const token = `${process.pid} ${crypto.randomUUID()}`
  await take(lock, token)
  try {
    return await work()
  } finally {
    // Whoever took so long that the lock was taken away must not take another's.
    if ((await readFile(lock, 'utf8').catch(() => '')) === token) await rm(lock, { force: true })
  }
}

async function take(lock: string, token: string): Promise<void> {
  const own = `${lock}.${token.split(' ')[1]}`
  try {
    await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
    await writeFile(own, token, { mode: 0o600 })
    const deadline = performance.now() + patienceMs
    while (!(await linked(own, lock))) {
      if (performance.now() > deadline) throw new UsageError(`${lock} is held by another csp. Remove it if none runs.`)
      if (await isLeftover(lock)) await rm(lock, { force: true })
      await Bun.sleep(10)
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`Nothing can be written beside ${lock} (${errorCode(error) ?? error}).`)
  } finally {
    await rm(own, { force: true }).catch(() => {})
  }
}

const patienceMs = 20_000
const leftoverMs = 10_000

/** Unlike making a file and then writing to it, a link is there at once with all that is in it. */
async function linked(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

async function isLeftover(lock: string): Promise<boolean> {
  const found = await stat(lock).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > leftoverMs
}
