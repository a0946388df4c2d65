import { ListenError } from '../server/server.ts'
import { handoverSignal } from '../shell/shell.ts'

/**
 * Takes the port of another csp without losing a search: everything is loaded first; then the new one listens beside the
 * old one, which is asked to stop listening and finishes what runs there. Where two cannot listen on one port, the new one
 * listens as soon as it is free. Throws the `ListenError` of a port that does not become free.
 */
export async function takeOver<Server>(
  pid: number,
  prepare: () => Promise<unknown>,
  start: () => Promise<Server>,
): Promise<Server> {
  await prepare()
  const begun = await attempt(start)
  process.kill(pid, handoverSignal)
  if (!(begun instanceof ListenError)) return begun
  const endsAt = performance.now() + patienceMs
  for (;;) {
    const server = await attempt(start)
    if (!(server instanceof ListenError)) return server
    if (performance.now() > endsAt) throw server
    await Bun.sleep(2)
  }
}

async function attempt<Server>(start: () => Promise<Server>): Promise<Server | ListenError> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof ListenError) return error
    throw error
  }
}

/** The old one stops listening at once, unless it hangs. */
const patienceMs = 5000
