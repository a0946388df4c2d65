import type { Shell, StopSignal } from './shell.ts'

/** How far the caller has gone in asking csp to stop. */
export interface Interruption {
  /** Aborts at the first request to stop; its reason is the signal's name. */
  readonly first: AbortSignal
  /** Aborts at the second: no more waiting. */
  readonly again: AbortSignal
  /** Stops listening. */
  end(): void
}

/** Listens for Ctrl-C and its kin. `now` is in milliseconds and never goes back. */
export function interruption(
  shell: Pick<Shell, 'onSignal'>,
  now: () => number = () => performance.now(),
): Interruption {
  const first = new AbortController()
  const again = new AbortController()
  let since = 0
  const end = shell.onSignal((signal: StopSignal) => {
    if (!first.signal.aborted) {
      since = now()
      first.abort(signal)
    } else if (now() - since > echoMs) {
      again.abort(signal)
    }
  })
  return { first: first.signal, again: again.signal, end }
}

/** One Ctrl-C can arrive several times: the terminal sends it to all, and npm and the launcher pass it on. */
const echoMs = 400

/** How long running searches may take to finish once csp is to stop. */
export const drainMs = 5000
