import { pause } from '@csp/lib/abort'
import { isStatusPath } from '../../api/endpoints/health.ts'
import { holdersOf } from './holders.ts'

/** The header by which a holder says that a request is its own: its process id. */
export const holderHeader = 'x-csp-holder'

export interface NeedOptions {
  readonly stateDir: string
  readonly port: number
  /** Monotonic, ms. */
  readonly now?: (() => number) | undefined
  readonly pollMs?: number | undefined
}

/** Whether anybody still needs a csp that was started for other programs: a holder, or a caller who asked lately. */
export class Demand {
  readonly #options: NeedOptions
  readonly #now: () => number
  #holders: readonly number[] = []
  /** When those who say to be holders asked last, until the next look shows whether they are. */
  readonly #claims = new Map<string, number>()
  #heldAt: number
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(options: NeedOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#heldAt = this.#now()
  }

  /** To be told of each request. Asking how csp is does not count. */
  note(request: Pick<Request, 'url' | 'headers'>): void {
    if (isStatusPath(new URL(request.url).pathname)) return
    const holder = request.headers.get(holderHeader)
    if (holder === null || this.#claims.size >= maxClaims) this.#askedAt = this.#now()
    else this.#claims.set(holder, this.#now())
  }

  /**
   * Resolves to `true` when nobody needs this csp any more, to `false` at the signal. `record` is how holders find this
   * csp: it is withdrawn before the last look, so that one who comes at that moment sees no record or is seen here.
   */
  async untilNone(signal: AbortSignal, record: FindableRecord): Promise<boolean> {
    const { pollMs = usualPollMs } = this.#options
    while (!signal.aborted) {
      const now = this.#now()
      if (await this.#isHeld()) this.#heldAt = now
      else if (now - this.#heldAt >= graceMs && now - this.#askedAt >= stayMs) {
        await record.withdraw()
        if (!(await this.#isHeld())) return true
        await record.announce()
      }
      await pause(pollMs, signal)
    }
    return false
  }

  async #isHeld(): Promise<boolean> {
    const { stateDir, port } = this.#options
    const holders = await holdersOf(stateDir, port)
    // One that has ended since the last look was a holder when it asked.
    const known = [...holders, ...this.#holders].map(String)
    for (const [pid, at] of this.#claims) if (!known.includes(pid)) this.#askedAt = Math.max(this.#askedAt, at)
    this.#claims.clear()
    this.#holders = holders
    return holders.length > 0
  }
}

export interface FindableRecord {
  announce(): Promise<void>
  withdraw(): Promise<void>
}

/** How long csp waits for the next holder when the last one has gone: a program that starts again is back by then. */
const graceMs = 5000
/** How long after the last request of another program csp stays for it. */
const stayMs = 300_000
/** Read at one look. */
const maxClaims = 100

/** Elsewhere than on Linux a process is started to look. */
const usualPollMs = process.platform === 'linux' ? 1000 : 5000
