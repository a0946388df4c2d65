import { ListenError } from '../bun/server.ts'
import { handoverSignal } from '../shell/shell.ts'

/**
 * Takes the port of another csp without losing a search: everything is loaded first; then the old one is asked to stop
 * listening, and finishes what runs there; the new one listens as soon as the port is free. Throws the `ListenError`
 * of a port that does not become free.
 */
export async function takeOver<Server>(
  pid: number,
  prepare: () => Promise<unknown>,
  start: () => Promise<Server>,
): Promise<Server> {
  await prepare()
  process.kill(pid, handoverSignal)
  const endsAt = performance.now() + patienceMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ListenError) || performance.now() > endsAt) throw error
      await Bun.sleep(2)
    }
  }
}

/** The old one stops listening at once, unless it hangs. */
const patienceMs = 5000
