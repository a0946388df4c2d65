import { RateLimiter } from '../../lib/rate-limiter.ts'

/** At most so many requests a second to one host. */
export class HostPace {
  readonly #perSecond: number
  readonly #now: (() => number) | undefined
  /** The host that was asked last comes last. */
  readonly #hosts = new Map<string, RateLimiter>()

  /** `now`: monotonic time, ms. */
  constructor(perSecond: number, now?: () => number) {
    this.#perSecond = perSecond
    this.#now = now
  }

  /** Waits until the host of an address may be asked, and counts that. Throws the signal's reason when it aborts. */
  async turn(url: string, signal: AbortSignal): Promise<void> {
    const host = URL.parse(url)?.hostname
    if (host) await this.#of(host).turn(signal)
  }

  /** Counts a request that does not wait, such as one to where a host has redirected. */
  note(host: string): void {
    this.#of(host).note()
  }

  #of(host: string): RateLimiter {
    const limiter = this.#hosts.get(host) ?? new RateLimiter(this.#perSecond, this.#now)
    this.#hosts.delete(host)
    this.#hosts.set(host, limiter)
    const [oldest] = this.#hosts.keys()
    if (this.#hosts.size > maxHosts && oldest !== undefined) this.#hosts.delete(oldest)
    return limiter
  }
}

const maxHosts = 2000
