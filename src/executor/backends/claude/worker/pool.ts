import { closedError } from '../../../../domain/abort.ts'
import type { Prepared } from '../../../executor.ts'
import type { WorkerKind } from '../cli/launch.ts'
import type { Worker } from './worker.ts'

export interface PoolOptions {
  readonly start: (kind: WorkerKind, model: string, systemPrompt?: string) => Worker
  /** A worker is replaced after this many turns of callers. */
  readonly maxSessionSearches: number
  /** `clear`: each request starts with an empty session. `keep`: the session of a caller continues. */
  readonly sessionContext: 'clear' | 'keep'
  /** A worker is stopped after this time without a turn, in ms; one that is not the only idle one of its kind sooner. */
  readonly idleMs: number
  /** Hears of each worker that starts and ends. */
  readonly log?: ((message: string) => void) | undefined
}

/** Warm workers of all kinds. A worker that is taken must be given back. */
export class Pool {
  readonly #options: PoolOptions
  readonly #idle: {
    readonly kind: WorkerKind
    readonly worker: Worker
    readonly since: number
    /** Absent if a worker is never idle for too long. */
    readonly timer: ReturnType<typeof setTimeout> | undefined
  }[] = []
  readonly #all = new Set<Worker>()
  /** Workers that end when they are given back, and why. */
  readonly #outdated = new WeakMap<Worker, string>()
  /** Why a worker is ended. */
  readonly #reasons = new WeakMap<Worker, string>()
  /** Whose session a worker holds, where sessions are kept. */
  readonly #owners = new WeakMap<Worker, string>()
  /** The system prompts of callers. */
  readonly #systemPrompts = new WeakMap<Worker, string>()
  #closed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /**
   * A worker of this kind, with an empty session, or with that of the same caller where sessions are kept: an idle one,
   * otherwise a new one, which may still be starting. It has this system prompt of a caller, and may have another
   * model.
   */
  take(kind: WorkerKind, model: string, caller = '', systemPrompt?: string): Worker {
    if (this.#closed) throw closedError()
    const idle = this.#idle.filter(
      ({ worker, ...entry }) => entry.kind === kind && worker.alive && this.#systemPrompts.get(worker) === systemPrompt,
    )
    const own = idle.filter(({ worker }) => this.#owners.get(worker) === caller)
    const candidates = own.length > 0 ? own : idle
    // The last used is the warmest; one that already has the model needs no switch.
    const entry = candidates.findLast(({ worker }) => worker.model === model) ?? candidates.at(-1)
    if (!entry) {
      this.#makeRoom(kind)
      return this.#ownedBy(caller, this.#start(kind, model, systemPrompt))
    }
    this.#idle.splice(this.#idle.indexOf(entry), 1)
    clearTimeout(entry.timer)
    const { worker } = entry
    // Its last turn: its successor starts meanwhile, unless there is one.
    const isLast = worker.served === this.#options.maxSessionSearches - 1 && candidates.length === 1
    if (isLast) this.#rest(kind, this.#start(kind, worker.model, systemPrompt))
    return this.#ownedBy(caller, worker)
  }

  /** A session that is kept belongs to one caller: another one gets it cleared. */
  #ownedBy(caller: string, worker: Worker): Worker {
    if (this.#options.sessionContext === 'clear') return worker
    const owner = this.#owners.get(worker)
    if (owner !== undefined && owner !== caller) worker.reset()
    this.#owners.set(worker, caller)
    return worker
  }

  /** Takes a worker back, and begins to prepare it for the next caller, unless it is used up. */
  giveBack(kind: WorkerKind, worker: Worker): void {
    const isUsedUp = worker.served >= this.#options.maxSessionSearches
    if (worker.alive && !this.#closed && !isUsedUp && !this.#outdated.has(worker)) {
      if (this.#options.sessionContext === 'clear') worker.reset()
      this.#rest(kind, worker)
    } else {
      const used = `it has served ${worker.served} requests`
      void this.#stop(worker, this.#closed ? closing : (this.#outdated.get(worker) ?? used))
    }
  }

  /** How many workers there are: `2 workers, 1 idle`. */
  get state(): string {
    const count = this.#all.size
    return count === 0 ? 'no worker yet' : `${count} worker${count === 1 ? '' : 's'}, ${this.#idle.length} idle`
  }

  /** Stops idle workers now, and busy ones when they are given back. Workers taken after this are new. */
  recycle(reason: string): void {
    for (const worker of this.#all) this.#outdated.set(worker, reason)
    for (const { timer, worker } of this.#idle.splice(0)) {
      clearTimeout(timer)
      void this.#stop(worker, reason)
    }
  }

  /** Stops all workers. No worker can be taken after this. */
  async close(): Promise<void> {
    this.#closed = true
    this.recycle(closing)
    await Promise.all([...this.#all].map((worker) => this.#stop(worker, closing)))
  }

  #start(kind: WorkerKind, model: string, systemPrompt: string | undefined): Worker {
    const worker = this.#options.start(kind, model, systemPrompt)
    if (systemPrompt !== undefined) this.#systemPrompts.set(worker, systemPrompt)
    this.#all.add(worker)
    this.#options.log?.(`${named(kind)} for ${model} starts, ${this.#all.size} in all`)
    void worker.exited.then(({ code, signal }) => {
      this.#all.delete(worker)
      const reason = this.#reasons.get(worker) ?? `by itself, ${signal ?? `code ${code}`}`
      this.#options.log?.(`${named(kind)} has ended: ${reason}; ${this.#all.size} left`)
    })
    return worker
  }

  #stop(worker: Worker, reason: string): Promise<unknown> {
    if (worker.alive) this.#reasons.set(worker, reason)
    return worker.stop()
  }

  #rest(kind: WorkerKind, worker: Worker): void {
    // What a burst has started beside one of its kind ends soon after it: each takes some 110 MB.
    const isSpare = this.#idle.some((entry) => entry.kind === kind)
    const idleMs = isSpare ? Math.min(spareMs, this.#options.idleMs) : this.#options.idleMs
    const stop = () => {
      this.#idle.splice(
        this.#idle.findIndex((entry) => entry.worker === worker),
        1,
      )
      void this.#stop(worker, `it was idle for ${idleMs / 1000} s`)
    }
    // A timer cannot wait for ever.
    const timer = Number.isFinite(idleMs) ? setTimeout(stop, idleMs) : undefined
    timer?.unref()
    this.#idle.push({ kind, worker, since: performance.now(), timer })
    this.#keepFewChats()
    void worker.exited.then(() => this.#drop(worker))
    // One that could not be prepared runs on for a moment, and would fail the next turn as it has failed this one.
    void worker.ready.catch(() => this.#drop(worker))
  }

  /** Each worker takes some 110 MB: a burst of one kind ends those of others that have stood idle for a while. */
  #makeRoom(kind: WorkerKind): void {
    if (this.#all.size - this.#idle.length < fewBusy) return
    const standing = performance.now() - standingMs
    for (const { worker } of this.#idle.filter((entry) => entry.kind !== kind && entry.since <= standing)) {
      this.#drop(worker)
      void this.#stop(worker, `a burst of ${kind}s needs its memory`)
    }
  }

  /** Callers may send a new system prompt each time, and each worker takes some 200 MB. */
  #keepFewChats(): void {
    const chats = this.#idle.filter(({ kind }) => kind === 'chat')
    for (const { worker } of chats.slice(0, Math.max(0, chats.length - maxIdleChats))) {
      this.#drop(worker)
      void this.#stop(worker, 'there are newer ones with other system prompts')
    }
  }

  #drop(worker: Worker): void {
    const index = this.#idle.findIndex((entry) => entry.worker === worker)
    if (index < 0) return
    clearTimeout(this.#idle[index]?.timer)
    this.#idle.splice(index, 1)
  }
}

const named = (kind: WorkerKind) => (kind === 'answerer' ? 'An answerer' : `A ${kind}`)

const maxIdleChats = 3
const spareMs = 30_000
/** So many workers at work are no burst yet. */
const fewBusy = 2
/** Who has stood idle for less is likely to be needed again. */
const standingMs = 10_000
const closing = 'csp stops'

/** A worker of the pool, leased for one request. Must be ended. */
export class Lease {
  readonly #pool: Pool
  readonly #kind: WorkerKind
  readonly #model: string
  readonly #caller: string | undefined
  readonly #systemPrompt: string | undefined
  #worker: Worker

  constructor(pool: Pool, kind: WorkerKind, model: string, caller?: string, systemPrompt?: string) {
    this.#pool = pool
    this.#kind = kind
    this.#model = model
    this.#caller = caller
    this.#systemPrompt = systemPrompt
    this.#worker = pool.take(kind, model, caller, systemPrompt)
  }

  get worker(): Worker {
    return this.#worker
  }

  /** Replaces a worker that has died. */
  exchange(): void {
    this.end()
    this.#worker = this.#pool.take(this.#kind, this.#model, this.#caller, this.#systemPrompt)
  }

  end(): void {
    this.#pool.giveBack(this.#kind, this.#worker)
  }
}

interface Waiting {
  readonly lease: Lease
  readonly model: string
  readonly caller: string | undefined
}

/**
 * Writers that were started for texts whose pages are still searched for. A text takes any that fits it; what nothing has
 * taken goes back to the pool.
 */
export class PreparedWriters {
  readonly #pool: Pool
  readonly #waiting = new Set<Waiting>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  prepare(model: string, caller: string | undefined): Prepared {
    const waiting = { lease: new Lease(this.#pool, 'writer', model, caller), model, caller }
    this.#waiting.add(waiting)
    return {
      release: () => {
        if (this.#waiting.delete(waiting)) waiting.lease.end()
      },
    }
  }

  /** A writer that is ready, or a new one. Its taker ends the lease. */
  take(model: string, caller: string | undefined): Lease {
    const ready = [...this.#waiting].find((one) => one.model === model && one.caller === caller)
    if (!ready) return new Lease(this.#pool, 'writer', model, caller)
    this.#waiting.delete(ready)
    return ready.lease
  }
}
