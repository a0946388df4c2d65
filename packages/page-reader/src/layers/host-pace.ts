import { BoundedMap } from '@csp/lib/bounded-map'
import { Starter, TokenBucket } from '@csp/lib/rate-limiter'
import { parseUrl } from '@csp/lib/url'

/** How often one host is asked. */
export interface HostPaceOptions {
  /** Pages of one host, on average; 0: no limit. */
  readonly perSecond: number
  /** Pages of one host at once after a pause. */
  readonly burst: number
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

/** How often one host is asked for pages. Callers take turns. */
export class HostPace {
  readonly #options: HostPaceOptions
  /** The host that was asked last comes last. */
  readonly #hosts = new BoundedMap<string, Starter>(maxHosts)

  constructor(options: HostPaceOptions) {
    this.#options = options
  }

  /** Waits until the host of an address may be asked, and counts that. Throws the signal's reason when it aborts. */
  async start(url: string, signal: AbortSignal, caller?: string): Promise<void> {
    const name = parseUrl(url)?.hostname
    if (name) await this.#of(name).start(signal, caller)
  }

  #of(name: string): Starter {
    const { perSecond, burst, now = () => performance.now() } = this.#options
    const host = this.#hosts.get(name) ?? new Starter(new TokenBucket(perSecond, burst, now))
    this.#hosts.set(name, host)
    return host
  }
}

const maxHosts = 2000
