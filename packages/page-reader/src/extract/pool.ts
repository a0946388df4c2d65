import { deferred } from '@csp/lib/deferred'
import { z } from 'zod'
import { PageError, type PageErrorCode, pageErrorCodes } from '../page-error.ts'
import { type Extracted, type Extraction, extractedSchema } from './extracted.ts'
import { isPdf } from './kind.ts'

/** The answer of a reader process. */
export type ReaderReply =
  | { readonly page: Extracted }
  | { readonly error: { readonly code: PageErrorCode; readonly message: string } }

/** A process that answers each `Extraction` with a `ReaderReply`. */
export interface ReaderProcess {
  onReply: ((reply: unknown) => void) | undefined
  /** Called when it has ended, with the name of the signal if one ended it. */
  onEnd: ((signal: string) => void) | undefined
  /** Sends one page. `onReply` gets the answer. */
  send(extraction: Extraction): void
  /** Ends it at once, whatever it does. */
  end(): void
}

/** How reader processes are started, and their limits. */
export interface ExtractorOptions {
  readonly openReader: () => ReaderProcess
  /** Processes at once; 2 by default. */
  readonly maxReaders?: number | undefined
  /** For one page; 10 s by default. One that is read roughly gets 3 s at most: its list has long replied by then. */
  readonly timeoutMs?: number | undefined
  /** After so long without work a process ends; 30 s by default. */
  readonly idleMs?: number | undefined
  /** How long a process continues with a page whose caller has left, before it is ended; 200 ms by default. */
  readonly graceMs?: number | undefined
}

/**
 * Reads pages in processes of their own, so that the server answers meanwhile, and that what a page keeps busy can be
 * ended: a thread continues with a regular expression after its end. A process reads one page at a time, and is ended when
 * a page takes too long, when its caller has left, or without work.
 */
export class Extractor {
  readonly #options: ExtractorOptions
  readonly #maxReaders: number
  /** A long PDF takes seconds, so one place is always left for other pages. */
  readonly #maxPdfs: number
  #idle: IdleReader[] = []
  #running = 0
  #pdfs = 0
  readonly #waiting: Waiting[] = []
  /** Callers whose turn it was, the last one last. */
  #served: readonly string[] = []
  readonly #closing = new AbortController()

  constructor(options: ExtractorOptions) {
    this.#options = options
    this.#maxReaders = options.maxReaders ?? 2
    this.#maxPdfs = Math.max(1, this.#maxReaders - 1)
  }

  /** Starts processes until so many run, for pages that are on their way. They end like others without work. */
  warm(readers = 1): void {
    if (this.#closing.signal.aborted) return
    const missing = Math.min(readers, this.#maxReaders) - this.#running - this.#idle.length
    for (let count = 0; count < missing; count++) this.#rest(this.#options.openReader())
  }

  /** Throws a `PageError`, or the signal's reason. */
  async extract(extraction: Extraction, signal: AbortSignal, caller = ''): Promise<Extracted> {
    const stop = AbortSignal.any([signal, this.#closing.signal])
    const page = { isRough: extraction.isRough ?? false, isPdf: isPdf(extraction.body), caller }
    await this.#turn(page, stop)
    try {
      stop.throwIfAborted()
      const idle = this.#idle.pop()
      clearTimeout(idle?.timer)
      const reader = idle?.reader ?? this.#options.openReader()
      const { reply, isUsable } = await this.#run(reader, extraction, stop)
      if (isUsable) this.#rest(reader)
      stop.throwIfAborted()
      if ('page' in reply) return reply.page
      throw new PageError(reply.error.code, reply.error.message)
    } finally {
      if (page.isPdf) this.#pdfs--
      // The place goes to the next one as it is, so that nobody who comes meanwhile takes it.
      const next = this.#next()
      if (next) next.begin()
      else this.#running--
    }
  }

  /**
   * Pages that are read with care first, in order, since their callers wait for them; then rough ones, the latest first:
   * a list waits 1.5 s at most, so the earlier ones are wanted for later alone. Among these, callers take turns.
   */
  #next(): Waiting | undefined {
    const ready = this.#waiting.filter((page) => this.#hasRoomFor(page))
    const careful = ready.filter(({ isRough }) => !isRough)
    const [first, ...others] = careful.length > 0 ? careful : ready.toReversed()
    if (!first) return undefined
    const lastTurn = ({ caller }: Waiting) => this.#served.indexOf(caller)
    const next = others.reduce((best, each) => (lastTurn(each) < lastTurn(best) ? each : best), first)
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    if (next.isPdf) this.#pdfs++
    this.#served = [...this.#served.filter((caller) => caller !== next.caller), next.caller].slice(-maxServed)
    return next
  }

  /** Ends all processes. Pages in work fail with `cancelled`. */
  close(): void {
    this.#closing.abort(new PageError('cancelled', 'The page reader was closed.'))
    for (const { reader, timer } of this.#idle.splice(0)) {
      clearTimeout(timer)
      reader.end()
    }
  }

  #hasRoomFor(page: PageInLine): boolean {
    return !page.isPdf || this.#pdfs < this.#maxPdfs
  }

  async #turn(page: PageInLine, stop: AbortSignal): Promise<void> {
    stop.throwIfAborted()
    if (this.#running < this.#maxReaders && this.#hasRoomFor(page)) {
      this.#running++
      if (page.isPdf) this.#pdfs++
      return
    }
    const { promise, resolve } = deferred<void>()
    const waiting: Waiting = { ...page, begin: resolve }
    this.#waiting.push(waiting)
    const leave = (): void => resolve()
    stop.addEventListener('abort', leave)
    await promise
    stop.removeEventListener('abort', leave)
    const place = this.#waiting.indexOf(waiting)
    if (place < 0) return
    // It left before its turn.
    this.#waiting.splice(place, 1)
    stop.throwIfAborted()
  }

  async #run(reader: ReaderProcess, extraction: Extraction, stop: AbortSignal): Promise<Run> {
    const { promise, resolve } = deferred<Run>()
    const fail = (code: PageErrorCode, message: string): void => {
      reader.end()
      resolve({ reply: { error: { code, message } }, isUsable: false })
    }
    let grace: ReturnType<typeof setTimeout> | undefined
    // Most pages are read soon, and a new process costs as much as twenty of them.
    const abort = (): void => {
      const ms = this.#closing.signal.aborted ? 0 : (this.#options.graceMs ?? usualGraceMs)
      grace = setTimeout(() => fail('cancelled', 'The reader of the page has left.'), ms)
    }
    const { timeoutMs = 10_000 } = this.#options
    const ms = extraction.isRough ? Math.min(timeoutMs, 3000) : timeoutMs
    const timer = setTimeout(() => fail('timeout', 'The page takes too long to read.'), ms)
    reader.onReply = (data) => {
      const reply = replySchema.safeParse(data).data
      if (reply) resolve({ reply, isUsable: true })
      else fail('failed', 'The page could not be read.')
    }
    // Nobody else kills it but itself, and a system that is short of memory.
    reader.onEnd = (signal) =>
      signal === 'SIGKILL'
        ? fail('too-large', 'The page takes too much memory to read.')
        : fail('failed', 'The page could not be read.')
    stop.addEventListener('abort', abort)
    reader.send(extraction)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      clearTimeout(grace)
      stop.removeEventListener('abort', abort)
      reader.onReply = undefined
      reader.onEnd = undefined
    }
  }

  #rest(reader: ReaderProcess): void {
    if (this.#closing.signal.aborted) {
      reader.end()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      this.#idle = this.#idle.filter((idle) => idle.reader !== reader)
      reader.end()
    }
    const timer = setTimeout(end, this.#options.idleMs ?? 30_000)
    // One that does not even start.
    reader.onEnd = end
    // Neither the process nor its timer keeps csp when it has nothing else to do.
    timer.unref?.()
    this.#idle.push({ reader, timer })
  }
}

interface IdleReader {
  readonly reader: ReaderProcess
  readonly timer: ReturnType<typeof setTimeout>
}

interface Run {
  readonly reply: ReaderReply
  readonly isUsable: boolean
}

interface PageInLine {
  readonly caller: string
  readonly isRough: boolean
  readonly isPdf: boolean
}

/** A page whose caller waits for a process. */
interface Waiting extends PageInLine {
  readonly begin: () => void
}

/** Callers that are remembered. */
const maxServed = 100
/** How long a process may continue with a page whose caller has left. */
const usualGraceMs = 200

const replySchema = z.union([
  z.object({ page: extractedSchema }),
  z.object({
    error: z.object({ code: z.enum(pageErrorCodes), message: z.string() }),
  }),
])
