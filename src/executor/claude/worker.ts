import { SearchError } from '../../domain/error.ts'
import { abortError } from '../abort-error.ts'
import { interruptible } from '../interruptible.ts'
import { Channel } from './channel.ts'
import { type CliEvent, parseCliLine } from './events.ts'
import { type Exit, type LineProcess, type ProcessOptions, startProcess } from './process.ts'

export interface WorkerOptions extends Omit<ProcessOptions, 'onLine'> {
  /** The only tools that its model may be offered. A worker that lists another is ended at once. */
  readonly tools: readonly string[]
  readonly model: string
}

/**
 * One `claude -p` on stream-json that stays up between turns. One turn at a time.
 * Everything it says is data: a turn yields the CLI's events up to and with its `result`.
 */
export class Worker {
  readonly #tools: ReadonlySet<string>
  readonly #process: LineProcess
  readonly #replies = new Map<string, (error: string | undefined) => void>()
  #model: string
  #turn: Channel<CliEvent> | undefined
  #controls = 0
  #served = 0
  #isUsed = false
  #offered: readonly string[] = []
  #ready: Promise<void>

  constructor({ tools, model, ...options }: WorkerOptions) {
    this.#tools = new Set(tools)
    this.#model = model
    this.#process = start({ ...options, onLine: (line) => this.#receive(line) })
    void this.#process.exited.then((exit) => this.#fail(exitError(exit)))
    // A turn that costs no model call: the CLI tells its tools before it sees anything of a caller.
    this.#ready = this.clear(AbortSignal.timeout(startTimeoutMs))
    this.#endUnlessReady()
  }

  /** Settles once the next turn may begin: the CLI is up, has listed no tool but those asked for, and is cleared. */
  get ready(): Promise<void> {
    return this.#ready
  }

  /** The tools that its model is offered, once it is ready. */
  get offered(): readonly string[] {
    return this.#offered
  }

  /** Turns with a caller's prompt so far. */
  get served(): number {
    return this.#served
  }

  get model(): string {
    return this.#model
  }

  get alive(): boolean {
    return this.#process.running
  }

  /** Settles when the process is gone. */
  get exited(): Promise<Exit> {
    return this.#process.exited
  }

  /**
   * Sends a prompt, once the worker has this model. On abort or early return the turn is interrupted, and its end
   * awaited, before this settles.
   */
  async *turn(prompt: string, model: string, signal: AbortSignal): AsyncGenerator<CliEvent, void, undefined> {
    await interruptible(this.#ready, signal)
    await interruptible(this.#setModel(model), signal)
    this.#served++
    this.#isUsed = true
    yield* this.#run(prompt, signal)
  }

  /** Forgets the conversation; the next turn begins a new session. */
  async clear(signal: AbortSignal): Promise<void> {
    for await (const event of this.#run('/clear', signal)) {
      if (event.type === 'result' && event.result.failed) {
        throw new SearchError('unavailable', 'Claude did not clear its session.', { cause: event.result.text })
      }
    }
  }

  /** Begins to clear a used session. The next turn waits for it; a worker that cannot be cleared is ended. */
  reset(): void {
    if (!this.#isUsed) return
    this.#isUsed = false
    this.#ready = this.clear(AbortSignal.timeout(clearTimeoutMs))
    this.#endUnlessReady()
  }

  stop(): Promise<Exit> {
    return this.#process.stop()
  }

  async *#run(prompt: string, signal: AbortSignal): AsyncGenerator<CliEvent, void, undefined> {
    if (signal.aborted) throw abortError(signal)
    const channel = this.#send(prompt)
    const leave = () => channel.fail(abortError(signal))
    signal.addEventListener('abort', leave, { once: true })
    let finished = false
    try {
      for await (const event of channel) {
        finished = event.type === 'result'
        yield event
        if (finished) return
      }
    } finally {
      signal.removeEventListener('abort', leave)
      if (!finished) await this.#abandon()
      this.#turn = undefined
    }
  }

  async #setModel(model: string): Promise<void> {
    if (model === this.#model) return
    await this.#control({ subtype: 'set_model', model })
    this.#model = model
  }

  #endUnlessReady(): void {
    this.#ready.catch(() => this.stop())
  }

  #send(prompt: string): Channel<CliEvent> {
    if (!this.alive) throw new SearchError('unavailable', 'The Claude worker has ended.')
    const channel = new Channel<CliEvent>()
    this.#turn = channel
    const content = [{ type: 'text', text: prompt }]
    this.#process.write(JSON.stringify({ type: 'user', message: { role: 'user', content } }))
    return channel
  }

  /** Ends the turn under way, and waits for the CLI to say so; a CLI that does not is ended itself. */
  async #abandon(): Promise<void> {
    if (!this.alive) return
    const ended = new Channel<CliEvent>()
    this.#turn = ended
    void this.#control({ subtype: 'interrupt' }).catch(() => {})
    const timer = setTimeout(() => void this.stop(), interruptGraceMs)
    try {
      for await (const event of ended) if (event.type === 'result') return
    } catch {
      // It died, which ends the turn as well.
    } finally {
      clearTimeout(timer)
    }
  }

  #control(request: Readonly<Record<string, string>>): Promise<void> {
    const id = `csp-${++this.#controls}`
    return new Promise((resolve, reject) => {
      this.#replies.set(id, (error) => {
        this.#replies.delete(id)
        if (error === undefined) resolve()
        else reject(new SearchError('failed', `Claude refused ${request['subtype']}: ${error.slice(0, 200)}`))
      })
      if (!this.alive) return this.#replies.get(id)?.('it has ended')
      this.#process.write(JSON.stringify({ type: 'control_request', request_id: id, request }))
    })
  }

  #receive(line: string): void {
    const event = parseCliLine(line)
    if (!event) return
    if (event.type === 'control-response') this.#replies.get(event.id)?.(event.error)
    else {
      if (event.type === 'init') this.#check(event.tools)
      this.#turn?.push(event)
    }
  }

  /** Fails closed: a model with a tool that csp did not offer could act on this machine. */
  #check(tools: readonly string[]): void {
    this.#offered = tools
    const strange = tools.filter((tool) => !this.#tools.has(tool))
    if (strange.length === 0) return
    this.#fail(
      new SearchError('unavailable', `Claude offers its model tools that csp did not ask for: ${strange.join(', ')}.`),
    )
    void this.stop()
  }

  #fail(error: SearchError): void {
    this.#turn?.fail(error)
    for (const reply of this.#replies.values()) reply('it has ended')
  }
}

const startTimeoutMs = 15_000
const clearTimeoutMs = 5000
const interruptGraceMs = 2000

function start(options: ProcessOptions): LineProcess {
  try {
    return startProcess(options)
  } catch (error) {
    throw new SearchError('unavailable', 'The Claude CLI cannot be started.', { cause: error })
  }
}

function exitError({ code, signal, stderr, reason }: Exit): SearchError {
  if (reason === 'line-too-long') return new SearchError('failed', 'Claude sent a line that is too long.')
  const how = signal ? `by ${signal}` : `with code ${code}`
  return new SearchError('unavailable', `The Claude worker ended ${how}.`, { cause: stderr })
}
