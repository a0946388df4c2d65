import { formatSpans, type Span } from './span.ts'

export interface ExporterOptions {
  /** Where a collector takes traces: the whole address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly service: string
  readonly version: string
  /** Called once when exports start failing, and again after recovery. */
  readonly onProblem: (message: string) => void
}

/**
 * Sends spans to a collector behind the requests that they are of. A collector that is slow, gone or refuses costs its
 * spans and nothing else: at most 2,048 wait, and what is too much is dropped.
 */
export class SpanExporter {
  readonly #options: ExporterOptions
  #waiting: Span[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> | undefined
  #isTroubled = false

  constructor(options: ExporterOptions) {
    this.#options = options
  }

  add(spans: readonly Span[]): void {
    const room = maxWaiting - this.#waiting.length
    this.#waiting.push(...spans.slice(0, Math.max(0, room)))
    if (this.#waiting.length === 0) return
    this.#timer ??= setTimeout(() => this.#send(), gatherMs)
    // Spans keep no process alive.
    this.#timer.unref?.()
  }

  /** Sends what waits, for 2 s at most. */
  async close(): Promise<void> {
    await this.#sending
    await this.#send(maxCloseMs)
  }

  #send(timeoutMs = maxSendMs): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sending || this.#waiting.length === 0) return this.#sending ?? Promise.resolve()
    const batch = this.#waiting.splice(0, maxBatch)
    this.#sending = this.#post(batch, timeoutMs).finally(() => {
      this.#sending = undefined
      // What has come meanwhile.
      this.add([])
    })
    return this.#sending
  }

  async #post(batch: readonly Span[], timeoutMs: number): Promise<void> {
    const { url, headers, service, version } = this.#options
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(formatSpans(batch, service, version)),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      await response.body?.cancel()
      this.#report(response.ok ? undefined : `it replied ${response.status}`)
    } catch {
      this.#report('it cannot be reached')
    }
  }

  #report(problem: string | undefined): void {
    if (problem !== undefined && !this.#isTroubled) {
      const { host } = new URL(this.#options.url)
      this.#options.onProblem(`Traces are lost: the collector at ${host} takes none, ${problem}.`)
    }
    this.#isTroubled = problem !== undefined
  }
}

/** How long spans are gathered. */
const gatherMs = 2000
const maxWaiting = 2048
const maxBatch = 512
const maxSendMs = 10_000
const maxCloseMs = 2000
