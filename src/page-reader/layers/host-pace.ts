import { pause } from '../../lib/abort.ts'
import { Places } from '../../lib/places.ts'
import { TokenBucket } from '../../lib/rate-limiter.ts'

export interface HostPaceOptions {
  /** Pages of one host, on average; 0: no limit. */
  readonly perSecond: number
  /** Pages of one host at once after a pause. */
  readonly burst: number
  /** Monotonic time, ms. */
  readonly now?: (() => number) | undefined
}

interface Host {
  readonly bucket: TokenBucket
  /** Who is next: callers take turns. */
  readonly door: Places
}

/** How often one host is asked for pages. */
export class HostPace {
  readonly #options: HostPaceOptions
  /** The host that was asked last comes last. */
  readonly #hosts = new Map<string, Host>()

  constructor(options: HostPaceOptions) {
    this.#options = options
  }

  /** Waits until the host of an address may be asked, and counts that. Throws the signal's reason when it aborts. */
  async turn(url: string, signal: AbortSignal, caller?: string): Promise<void> {
    const name = URL.parse(url)?.hostname
    if (!name) return
    const { bucket, door } = this.#of(name)
    const leave = await door.take(signal, caller)
    try {
      for (let ms = bucket.waitMs(); ms > 0 && !signal.aborted; ms = bucket.waitMs()) await pause(ms, signal)
      signal.throwIfAborted()
      bucket.take()
    } finally {
      if (typeof leave === 'function') leave()
    }
  }

  #of(name: string): Host {
    const { perSecond, burst, now = () => performance.now() } = this.#options
    const host = this.#hosts.get(name) ?? { bucket: new TokenBucket(perSecond, burst, now), door: new Places(1) }
    this.#hosts.delete(name)
    this.#hosts.set(name, host)
    const [oldest] = this.#hosts.keys()
    if (this.#hosts.size > maxHosts && oldest !== undefined) this.#hosts.delete(oldest)
    return host
  }
}

const maxHosts = 2000
