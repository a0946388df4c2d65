import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { withTimeout } from '@csp/lib/abort'
import { type Deferred, deferred } from '@csp/lib/deferred'
import { checkPageUrl, openedHosts } from '@csp/page-reader/local/page-url'
import type { Forgetting, MemoryHealth, MemoryStats, SeenPage } from '../../domain/memory.ts'
import type { Memory } from '../../domain/recall.ts'
import type { MemoryFileOptions } from '../../storage/page-memory/memory-file.ts'
import { type MemoryCall, type MemoryReply, memoryArgument } from '../../storage/page-memory/protocol.ts'
import { storeFailure } from '../../storage/store-failure.ts'
import { entryFile, isCompiled } from '../shell/package-root.ts'

export interface OpenMemoryOptions extends Pick<MemoryFileOptions, 'path' | 'maxBytes'> {
  /** Whether a page of this address may be kept. */
  readonly mayKeep: (url: string) => boolean
}

export interface OpenedMemory extends Memory {
  close(): Promise<void>
}

/** Some 60,000 pages. What was not used for longest goes first. */
export const memoryBytes = 500e6

/** Where memory is in a state folder. */
export function memoryPath(stateDir: string): string {
  return join(stateDir, 'memory', 'memory.sqlite')
}

/** Whether an address is of the public web: private hosts that the operator has opened are not kept. */
export function publicPages(pagesAllow: readonly string[]): (url: string) => boolean {
  const opened = openedHosts(pagesAllow)
  return (url) => {
    try {
      return !checkPageUrl(url, opened).isOpened
    } catch {
      return false
    }
  }
}

/** What csp uses of a thread. */
export type ThreadOfMemory = Pick<Worker, 'on' | 'ref' | 'unref' | 'postMessage' | 'terminate'>

const startThread = (): ThreadOfMemory => new Worker(isCompiled ? Bun.main : entryFile, { argv: [memoryArgument] })

/** Opens the memory of csp in a thread, which starts with the first page or question and ends without work. */
export function openMemory(options: OpenMemoryOptions, start = startThread): OpenedMemory {
  return new ThreadedMemory(options, start)
}

class ThreadedMemory implements OpenedMemory {
  readonly #options: OpenMemoryOptions
  readonly #startThread: () => ThreadOfMemory
  #thread: MemoryThread | undefined
  #waiting: SeenPage[] = []
  #waitingCharacters = 0
  #writing: Promise<void> | undefined
  #isClosed = false
  #health: MemoryHealth = {}

  constructor(options: OpenMemoryOptions, start: () => ThreadOfMemory) {
    this.#options = options
    this.#startThread = start
  }

  get health(): MemoryHealth {
    return this.#health
  }

  keep(pages: readonly SeenPage[]): void {
    for (const page of pages) {
      if (this.#waitingCharacters > maxWaitingCharacters || !this.#options.mayKeep(page.url)) continue
      const text = page.text.slice(0, maxCharacters)
      this.#waiting.push({ ...page, text })
      this.#waitingCharacters += text.length + pageCharacters
    }
    this.#writing ??= this.#write()
  }

  async recall(recall: Parameters<Memory['recall']>[0]) {
    return (await this.#asked({ recall })).rows ?? []
  }

  async excerpts(excerpts: Parameters<Memory['excerpts']>[0]) {
    return (await this.#asked({ excerpts })).excerpts ?? new Map()
  }

  async stats(owner?: string): Promise<MemoryStats> {
    return (await this.#asked({ stats: { owner } })).stats ?? { pages: 0, bytes: 0, sites: 0 }
  }

  async forget(forget: Forgetting): Promise<number> {
    // What waits would come back.
    await this.#writing
    return (await this.#asked({ forget })).forgotten ?? 0
  }

  async flush(): Promise<void> {
    await withTimeout(this.#writing ?? Promise.resolve(), maxFlushMs)
  }

  async close(): Promise<void> {
    await this.flush()
    this.#isClosed = true
    await this.#thread?.end()
  }

  /** A few pages at a time, so that a question waits for few. */
  async #write(): Promise<void> {
    // The reply goes first.
    await new Promise((resolve) => setTimeout(resolve))
    while (this.#waiting.length > 0) {
      const keep = this.#waiting.splice(0, pagesAtOnce)
      this.#waitingCharacters -= keep.reduce((sum, { text }) => sum + text.length + pageCharacters, 0)
      await this.#asked({ keep }).catch(() => {})
    }
    this.#writing = undefined
  }

  /** Throws what the file says. */
  async #asked(work: MemoryCall['work']): Promise<MemoryReply> {
    if (this.#isClosed) throw new Error('csp is stopping.')
    if (!this.#thread?.isOpen) {
      const { path, maxBytes } = this.#options
      this.#thread = new MemoryThread(this.#startThread())
      // Its failure is that of what follows.
      void this.#thread.send({ open: { path, maxBytes } })
    }
    const reply = await this.#thread.send(work)
    const { pages = this.#health.pages, bytes = this.#health.bytes, error, code, problem = error } = reply
    this.#health = { pages, bytes, problem }
    if (error !== undefined) throw storeFailure(Object.assign(new Error(error), { code }))
    return reply
  }
}

/** A thread, what it was asked, and its end. */
class MemoryThread {
  readonly #thread: ThreadOfMemory
  readonly #calls = new Map<number, Deferred<MemoryReply>>()
  #lastId = 0
  #idle: ReturnType<typeof setTimeout> | undefined
  #isOpen = true
  #ended: Promise<void> | undefined

  constructor(thread: ThreadOfMemory) {
    this.#thread = thread
    thread.on('message', (reply: MemoryReply) => this.#settle(reply))
    thread.on('error', ({ message }) => this.#lost(message))
    thread.on('exit', () => this.#lost('The thread of the memory ended.'))
  }

  /** Whether it takes calls. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Never rejects: a failure is a reply. */
  send(work: MemoryCall['work']): Promise<MemoryReply> {
    const id = ++this.#lastId
    const call = deferred<MemoryReply>()
    this.#calls.set(id, call)
    clearTimeout(this.#idle)
    // A process waits for its replies, and for nothing else of the thread.
    this.#thread.ref()
    this.#thread.postMessage({ id, work } satisfies MemoryCall)
    return call.promise
  }

  async end(): Promise<void> {
    if (this.#isOpen) this.#ended = this.#end()
    await this.#ended
  }

  async #end(): Promise<void> {
    const closed = this.send({ close: true })
    this.#isOpen = false
    await withTimeout(closed, maxFlushMs)
    await this.#thread.terminate()
  }

  #settle(reply: MemoryReply): void {
    this.#calls.get(reply.id)?.resolve(reply)
    this.#calls.delete(reply.id)
    if (this.#calls.size > 0) return
    this.#thread.unref()
    this.#idle = setTimeout(() => void this.end(), idleMs)
    this.#idle.unref()
  }

  #lost(error: string): void {
    this.#isOpen = false
    for (const [id, call] of this.#calls) call.resolve({ id, error })
  }
}

/** Longer pages are cut before they are sent. */
const maxCharacters = 40_000
/** Characters of pages that wait; what is more is dropped. */
const maxWaitingCharacters = 40_000_000
/** What a page takes besides its text. */
const pageCharacters = 500
const pagesAtOnce = 5
const maxFlushMs = 2000
const idleMs = 60_000
