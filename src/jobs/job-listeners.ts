/** Who waits for a change of a job. */
export class JobListeners {
  readonly #waiting = new Map<string, Set<() => void>>()

  announce(id: string): void {
    for (const listener of this.#waiting.get(id) ?? []) listener()
  }

  /** Resolves at the next change, when the signal aborts, or after a second: another process may run the job. */
  changed(id: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#waiting.get(id) ?? new Set()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        own.delete(done)
        if (own.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(done, 1000)
      signal.addEventListener('abort', done)
      this.#waiting.set(id, own.add(done))
      if (signal.aborted) done()
    })
  }
}
