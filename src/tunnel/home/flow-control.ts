/** How many bytes may still be sent; more come as the other end reads. */
export class Credit {
  #bytes: number
  #news = Promise.withResolvers<void>()

  constructor(bytes: number) {
    this.#bytes = bytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
    this.#news.resolve()
    this.#news = Promise.withResolvers()
  }

  /** Takes up to so many bytes, 1 at least; waits while there are none. Nothing when the signal aborts. */
  async take(wanted: number, signal: AbortSignal): Promise<number> {
    const aborted = Promise.withResolvers<void>()
    const stop = () => aborted.resolve()
    signal.addEventListener('abort', stop, { once: true })
    try {
      while (this.#bytes <= 0 && !signal.aborted) await Promise.race([this.#news.promise, aborted.promise])
    } finally {
      signal.removeEventListener('abort', stop)
    }
    if (signal.aborted) return 0
    const taken = Math.min(wanted, this.#bytes)
    this.#bytes -= taken
    return taken
  }
}
