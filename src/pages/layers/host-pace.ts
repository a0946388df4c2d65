import { TokenBucket, Turns } from '../../lib/rate-limiter.ts'

export interface HostPaceOptions {
  /** Pages of one host, on average; 0: no limit. */
  readonly perSecond: number
  /** Pages of one host at once after a pause. */
  readonly burst: number
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/** How often one host is asked for pages. */
export class HostPace {
  readonly #options: HostPaceOptions
  /** The host that was asked last comes last. */
  readonly #hosts = new Map<string, Turns>()

  constructor(options: HostPaceOptions) {
    this.#options = options
  }

  /** Waits until the host of an address may be asked, and counts that. Throws the signal's reason when it aborts. */
  async turn(url: string, signal: AbortSignal): Promise<void> {
    const host = URL.parse(url)?.hostname
    if (host) await this.#of(host).turn(signal)
  }

  #of(host: string): Turns {
    const { perSecond, burst, now = () => performance.now() } = this.#options
    const turns = this.#hosts.get(host) ?? new Turns(new TokenBucket(perSecond, burst, now))
    this.#hosts.delete(host)
    this.#hosts.set(host, turns)
    const [oldest] = this.#hosts.keys()
    if (this.#hosts.size > maxHosts && oldest !== undefined) this.#hosts.delete(oldest)
    return turns
  }
}

const maxHosts = 2000
