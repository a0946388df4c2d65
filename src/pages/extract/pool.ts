import { z } from 'zod'
import { PageError, type PageErrorCode } from '../../domain/page.ts'
import { deferred } from '../../lib/deferred.ts'
import { type Extracted, type Extraction, extractedSchema } from './extracted.ts'

/** What a worker answers. */
export type WorkerReply =
  | { readonly page: Extracted }
  | { readonly error: { readonly code: PageErrorCode; readonly message: string } }

export interface ExtractorOptions {
  /** Starts a thread that answers each `Extraction` with a `WorkerReply`. */
  readonly openWorker: () => Worker
  /** Threads at once; 2 by default. */
  readonly maxWorkers?: number | undefined
  /** For one page; 10 s by default. */
  readonly timeoutMs?: number | undefined
  /** How much the memory of the process may grow while a page is read; 600 MB by default. */
  readonly maxGrowthBytes?: number | undefined
  /** Memory of the process now. Absent: growth is not watched. */
  readonly memoryBytes?: (() => number) | undefined
  /** After so long without work a thread ends; 30 s by default. */
  readonly idleMs?: number | undefined
  /** How long a thread goes on with a page whose caller has left, before it is ended; 200 ms by default. */
  readonly graceMs?: number | undefined
}

/**
 * Reads pages in threads of their own, so that the server answers meanwhile. A thread reads one page at a time, and is
 * ended when a page takes too long or too much memory, when its caller has left, or without work.
 */
export class Extractor {
  readonly #options: ExtractorOptions
  readonly #maxWorkers: number
  #idle: IdleWorker[] = []
  #running = 0
  readonly #waiting: Waiting[] = []
  readonly #closing = new AbortController()

  constructor(options: ExtractorOptions) {
    this.#options = options
    this.#maxWorkers = options.maxWorkers ?? 2
  }

  /** Starts threads until so many run, for pages that are on their way. They end like others without work. */
  warm(threads = 1): void {
    if (this.#closing.signal.aborted) return
    const missing = Math.min(threads, this.#maxWorkers) - this.#running - this.#idle.length
    for (let count = 0; count < missing; count++) this.#rest(this.#options.openWorker())
  }

  /** Throws a `PageError`, or the signal's reason. Takes the body away from its owner. */
  async extract(extraction: Extraction, signal: AbortSignal): Promise<Extracted> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    await this.#turn(extraction.isRough ?? false, stop)
    try {
      stop.throwIfAborted()
      const idle = this.#idle.pop()
      clearTimeout(idle?.timer)
      const worker = idle?.worker ?? this.#options.openWorker()
      const { reply, isUsable } = await this.#run(worker, extraction, stop)
      if (isUsable) this.#rest(worker)
      stop.throwIfAborted()
      if ('page' in reply) return reply.page
      throw new PageError(reply.error.code, reply.error.message)
    } finally {
      this.#running--
      this.#next()?.begin()
    }
  }

  /**
   * Pages that are read with care first, in order, since their callers wait for them; then rough ones, the latest first:
   * a list waits 1.5 s at most, so the earlier ones are wanted for later alone.
   */
  #next(): Waiting | undefined {
    const careful = this.#waiting.findIndex(({ isRough }) => !isRough)
    return this.#waiting.splice(careful >= 0 ? careful : -1, 1)[0]
  }

  close(): void {
    this.#closing.abort(new PageError('cancelled', 'csp is stopping.'))
    for (const { worker, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      worker.terminate()
    }
  }

  async #turn(isRough: boolean, stop: AbortSignal): Promise<void> {
    while (this.#running >= this.#maxWorkers && !stop.aborted) {
      const { promise, resolve } = deferred<void>()
      const waiting: Waiting = { isRough, begin: resolve }
      this.#waiting.push(waiting)
      const leave = (): void => resolve()
      stop.addEventListener('abort', leave, { once: true })
      await promise
      stop.removeEventListener('abort', leave)
      // An abort leaves the place in the queue to the next one.
      const place = this.#waiting.indexOf(waiting)
      if (place >= 0) this.#waiting.splice(place, 1)
    }
    this.#running++
  }

  async #run(worker: Worker, extraction: Extraction, stop: AbortSignal): Promise<WorkerRun> {
    const { promise, resolve } = deferred<WorkerRun>()
    const fail = (code: PageErrorCode, message: string): void => {
      worker.terminate()
      resolve({ reply: { error: { code, message } }, isUsable: false })
    }
    let grace: ReturnType<typeof setTimeout> | undefined
    // Most pages are read soon, and a new thread costs as much as twenty of them.
    const abort = (): void => {
      const ms = this.#closing.signal.aborted ? 0 : (this.#options.graceMs ?? usualGraceMs)
      grace = setTimeout(() => fail('cancelled', 'The reader of the page has left.'), ms)
    }
    const timer = setTimeout(
      () => fail('timeout', 'The page takes too long to read.'),
      this.#options.timeoutMs ?? 10_000,
    )
    const watch = this.#watchMemory(() => fail('too-large', 'The page takes too much memory to read.'))
    worker.onmessage = ({ data }) => {
      const reply = replySchema.safeParse(data).data
      if (reply) resolve({ reply, isUsable: true })
      else fail('failed', 'The page could not be read.')
    }
    worker.onerror = () => fail('failed', 'The page could not be read.')
    stop.addEventListener('abort', abort, { once: true })
    worker.postMessage(extraction, [extraction.body.buffer])
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      clearTimeout(grace)
      clearInterval(watch)
      stop.removeEventListener('abort', abort)
      worker.onmessage = null
      worker.onerror = null
    }
  }

  #watchMemory(onTooMuch: () => void): ReturnType<typeof setInterval> | undefined {
    const { memoryBytes, maxGrowthBytes = 600e6 } = this.#options
    if (!memoryBytes) return undefined
    const before = memoryBytes()
    return setInterval(() => {
      if (memoryBytes() - before > maxGrowthBytes) onTooMuch()
    }, watchMs)
  }

  #rest(worker: Worker): void {
    if (this.#closing.signal.aborted) {
      worker.terminate()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      this.#idle = this.#idle.filter((idle) => idle.worker !== worker)
      worker.terminate()
    }
    const timer = setTimeout(end, this.#options.idleMs ?? 30_000)
    // One that does not even start.
    worker.onerror = end
    // Neither the thread nor its timer keeps a process that has nothing else to do.
    timer.unref?.()
    this.#idle.push({ worker, timer })
  }
}

interface IdleWorker {
  readonly worker: Worker
  readonly timer: ReturnType<typeof setTimeout>
}

interface WorkerRun {
  readonly reply: WorkerReply
  readonly isUsable: boolean
}

/** A page whose caller waits for a thread. */
interface Waiting {
  readonly isRough: boolean
  readonly begin: () => void
}

const watchMs = 50
/** How long a thread may go on with a page whose caller has left. */
const usualGraceMs = 200

const replySchema = z.union([
  z.object({ page: extractedSchema }),
  z.object({
    error: z.object({ code: z.custom<PageErrorCode>((code) => typeof code === 'string'), message: z.string() }),
  }),
])
