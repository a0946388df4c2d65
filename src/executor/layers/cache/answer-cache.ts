import { lacksJudge } from '@csp/evidence/evidence'
import { messageOf } from '@csp/lib/errors'
import { createMemoryStorage, type StorageInterface } from 'ocache'
import { z } from 'zod'
import { interruptible } from '../../../domain/abort.ts'
import { sourcesOf } from '../../../domain/answer.ts'
import type { Answer, Want } from '../../../domain/search.ts'
import { answerSchema } from '../../wire/schemas.ts'
import { storageKey } from './request-key.ts'

export interface AnswerCacheOptions {
  /** Keeps answers beyond the life of the cache. Absent: in memory only. */
  readonly storage?: StorageInterface | undefined
  /** The size of the answers kept in memory, before the storage; 32 MB by default. 0: the storage alone, which is fast enough. */
  readonly memoryBytes?: number | undefined
  /** How long an answer is fresh. */
  readonly ttlSeconds: number
  /** How long a stale answer still serves while a new one is made; a sixth of `ttlSeconds` by default. */
  readonly staleSeconds?: number | undefined
  /** How long beyond its freshness an answer may stand in for a search that fails; no longer than stale by default. */
  readonly oldSeconds?: number | undefined
  /** Called with each write that begins, for a runtime that would otherwise end with the reply. */
  readonly onWrite?: ((write: Promise<void>) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/** An answer that was kept, and how old it is. */
export interface KeptAnswer {
  readonly answer: Answer
  readonly ageSeconds: number
  /** `stale`: it serves while a new one is made. `old`: it serves only where no new one can be had. */
  readonly freshness: 'fresh' | 'stale' | 'old'
}

/** How long beyond its freshness an answer may stand in for a search that fails: news of yesterday beat an error. */
export const oldAnswerSeconds = 86_400

/**
 * Keeps answers in memory, and in a store behind it. A store that fails, hangs or returns a malformed answer costs a
 * miss and nothing else; `problem` says why.
 */
export class AnswerCache {
  readonly #memory: StorageInterface | undefined
  readonly #storage: StorageInterface | undefined
  readonly #ttlSeconds: number
  readonly #staleSeconds: number
  readonly #oldSeconds: number
  readonly #onWrite: AnswerCacheOptions['onWrite']
  readonly #now: () => number
  readonly #writes = new Set<Promise<void>>()
  #readProblem: string | undefined
  #writeProblem: string | undefined

  constructor(options: AnswerCacheOptions) {
    const { storage, memoryBytes = defaultMemoryBytes, ttlSeconds, staleSeconds, oldSeconds, onWrite, now } = options
    this.#memory = memoryBytes > 0 ? createMemoryStorage({ maxBytes: memoryBytes }) : undefined
    this.#storage = storage
    this.#ttlSeconds = ttlSeconds
    this.#staleSeconds = staleSeconds ?? ttlSeconds / 6
    this.#oldSeconds = oldSeconds ?? 0
    this.#onWrite = onWrite
    this.#now = now ?? Date.now
  }

  /** Why the last write or the last read of the store failed, if it did. */
  get problem(): string | undefined {
    return this.#writeProblem ?? this.#readProblem
  }

  /** Never throws. `undefined` when there is nothing, or nothing young enough. */
  async find(key: string): Promise<KeptAnswer | undefined> {
    const entry = (await this.#memory?.get<Entry>(key)) ?? (await this.#read(key))
    if (!entry) return undefined
    const age = (this.#now() - entry.mtime) / 1000
    const { freshSeconds, staleSeconds, seconds } = this.#lifetime(entry.value)
    // An age below zero means that the clock was set back: the answer's age is unknown.
    if (age < 0 || age >= seconds) return undefined
    const freshness = age < freshSeconds ? 'fresh' : age < freshSeconds + staleSeconds ? 'stale' : 'old'
    return { answer: entry.value, ageSeconds: Math.floor(age), freshness }
  }

  /** Keeps what is worth keeping: a finished answer, and no written one without sources. Never throws. */
  keep(key: string, want: Want, answer: Answer, ageSeconds: number): void {
    if (answer.reason !== 'stop' || answer.isDegraded || (want === 'answer' && isEmpty(answer))) return
    // The next to ask has another chance of a judge.
    if (lacksJudge(answer.evidence ?? [])) return
    const entry = { value: answer, mtime: this.#now() - ageSeconds * 1000 }
    const ttl = this.#secondsLeft(entry)
    if (ttl <= 0) return
    this.#memory?.set(key, entry, { ttl })
    if (!this.#storage) return
    const write = this.#write(this.#storage, key, entry, ttl).finally(() => this.#writes.delete(write))
    this.#writes.add(write)
    this.#onWrite?.(write)
  }

  /** Waits for the writes that are under way; not for those that hang. */
  async flush(): Promise<void> {
    await Promise.all(this.#writes)
  }

  async #read(key: string): Promise<Entry | undefined> {
    if (!this.#storage) return undefined
    try {
      const stored = await interruptible(
        Promise.resolve(this.#storage.get(await storageKey(key))),
        AbortSignal.timeout(readTimeoutMs),
      )
      this.#readProblem = undefined
      // A search that finished meanwhile is younger than what the store held.
      const younger = await this.#memory?.get<Entry>(key)
      if (younger) return younger
      const { success, data: entry } = entrySchema.safeParse(stored)
      if (!success) return undefined
      const ttl = this.#secondsLeft(entry)
      if (ttl > 0) this.#memory?.set(key, entry, { ttl })
      return entry
    } catch (error) {
      this.#readProblem = `A read of the cache failed: ${messageOf(error)}`
      return undefined
    }
  }

  async #write(storage: StorageInterface, key: string, entry: Entry, ttl: number): Promise<void> {
    try {
      await interruptible(
        Promise.resolve(storage.set(await storageKey(key), entry, { ttl })),
        AbortSignal.timeout(writeTimeoutMs),
      )
      this.#writeProblem = undefined
    } catch (error) {
      this.#writeProblem = `A write to the cache failed: ${messageOf(error)}`
    }
  }

  #secondsLeft(entry: Entry): number {
    return this.#lifetime(entry.value).seconds - (this.#now() - entry.mtime) / 1000
  }

  /** An empty result may change soon, and never stands in for a failed search. */
  #lifetime(answer: Answer): Lifetime {
    if (isEmpty(answer)) {
      const seconds = Math.min(emptySeconds, this.#ttlSeconds)
      return { freshSeconds: seconds, staleSeconds: 0, seconds }
    }
    const freshSeconds = this.#ttlSeconds
    const staleSeconds = this.#staleSeconds
    return { freshSeconds, staleSeconds, seconds: freshSeconds + Math.max(staleSeconds, this.#oldSeconds) }
  }
}

/** How long an answer is fresh, then stale, and how long it is kept in all. */
interface Lifetime {
  readonly freshSeconds: number
  readonly staleSeconds: number
  readonly seconds: number
}

const defaultMemoryBytes = 32 * 1024 * 1024
const readTimeoutMs = 250
const writeTimeoutMs = 1000
const emptySeconds = 60

/** The part of an ocache entry that is read here. */
const entrySchema = z.object({ value: answerSchema, mtime: z.number() })
type Entry = z.infer<typeof entrySchema>

function isEmpty(answer: Answer): boolean {
  return sourcesOf(answer.searches).length === 0
}
