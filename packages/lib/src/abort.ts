/** The longest time that a timer takes, in milliseconds: beyond it, timers fire at once. */
export const maxTimerMs = 2 ** 31 - 1

/** The result of `withTimeout` when the time is over. */
export const timedOut = Symbol('timed out')

/** Waits for a promise, at most this long. The promise itself continues. */
export async function withTimeout<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value | typeof timedOut> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeUp = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(resolve, milliseconds, timedOut)
  })
  try {
    return await Promise.race([promise, timeUp])
  } finally {
    clearTimeout(timer)
  }
}

// Remove a listener from a signal when the work is done: Bun keeps alive what the listener reaches.

/**
 * Settles once the signal has aborted. Its listener stays until then: use it for signals that end with the process or
 * command.
 */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}

/** Settles as the promise does, or rejects with the signal's reason as soon as it aborts. The promise runs on. */
export async function raced<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  promise.catch(() => {})
  signal.throwIfAborted()
  return new Promise<Value>((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Work that runs, each with a signal of its own, until all of it is closed: on the edge nothing of one request may touch
 * another, and a signal for all of them would.
 */
export class RunningWork {
  readonly #running = new Set<AbortController>()
  readonly #closed: () => Error
  #isClosed = false

  /** `closed`: what work fails with that is closed, or begins after that. */
  constructor(closed: () => Error) {
    this.#closed = closed
  }

  /** True once `close` was called. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** The signal aborts with the caller's, when all is closed, and at the end. */
  begin(caller: AbortSignal): { readonly signal: AbortSignal; readonly end: () => void } {
    if (this.#isClosed) throw this.#closed()
    const own = new AbortController()
    this.#running.add(own)
    return {
      signal: AbortSignal.any([caller, own.signal]),
      end: () => {
        this.#running.delete(own)
        // With a reason, or the runtime makes an error with its stack each time.
        own.abort('over')
      },
    }
  }

  /** Aborts all work. `begin` throws from then on. */
  close(): void {
    this.#isClosed = true
    for (const work of this.#running) work.abort(this.#closed())
  }
}
