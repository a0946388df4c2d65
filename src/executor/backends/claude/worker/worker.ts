import { abortError, interruptible } from '../../../../domain/abort.ts'
import { SearchError } from '../../../../domain/error.ts'
import { endedFailure, missingTools, silentFailure, startWorkerProcess, unexpectedTools } from '../cli/errors.ts'
import { Liveness } from '../cli/liveness.ts'
import type { Exit, LineProcess, ProcessOptions } from '../cli/process.ts'
import { provesClearing, tooOld } from '../cli/version.ts'
import { Channel } from './channel.ts'
import {
  ClientLink,
  type ControlRequest,
  Controls,
  settingsEnvironment,
  TurnInterruption,
  type TurnSettings,
  type TurnSetup,
} from './controls.ts'
import { type CliEvent, parseCliLine } from './events.ts'

export interface WorkerOptions extends Omit<ProcessOptions, 'onLine'> {
  /** The only tools that its model may have besides the caller's. A worker that lists another is stopped at once. */
  readonly tools: readonly string[]
  readonly model: string
  /** In place of the one among its arguments, where other users of the machine could read it. */
  readonly systemPrompt?: string | undefined
  /** Those in its environment. */
  readonly settings?: TurnSettings | undefined
  /** See `Liveness`. */
  readonly livenessMs?: number | undefined
  /** Starts its process. */
  readonly start?: typeof startWorkerProcess | undefined
}

/**
 * One `claude -p` on stream-json that stays up between turns. One turn at a time.
 * A turn yields the CLI's events up to and including its `result`.
 */
export class Worker {
  readonly #tools: ReadonlySet<string>
  readonly #process: LineProcess
  readonly #controls: Controls
  readonly #client: ClientLink
  readonly #interruption: TurnInterruption
  readonly #liveness: Liveness
  #model: string
  /** Whether the CLI has said that it took its model. */
  #hasModel = true
  #settings: TurnSettings | undefined
  #turn: Channel<CliEvent> | undefined
  /** Events before a turn's `init` are left over from the previous turn. */
  #hasBegun = false
  #served = 0
  #isUsed = false
  #offered: readonly string[] = []
  #ready: Promise<void>

  constructor({ tools, model, settings, systemPrompt, livenessMs, start, ...options }: WorkerOptions) {
    this.#tools = new Set(tools)
    this.#model = model
    this.#settings = settings
    this.#process = (start ?? startWorkerProcess)({ ...options, onLine: (line) => this.#receive(line) })
    this.#controls = new Controls((message) => this.#process.write(JSON.stringify(message)))
    this.#client = new ClientLink(this.#controls, this.#process.exited)
    const interrupt = () => void this.#controls.request({ subtype: 'interrupt' }).catch(() => {})
    this.#interruption = new TurnInterruption(interrupt, () => void this.stop())
    // The status of its servers is the cheapest request that it answers during a turn.
    const ask = () => this.#controls.request({ subtype: 'mcp_status' })
    this.#liveness = new Liveness({ ask, onSilence: () => this.#end(silentFailure()), everyMs: livenessMs })
    void this.#process.exited.then((exit) => this.#fail(endedFailure(exit)))
    // A turn without a model call: the CLI lists its tools before it receives anything of a caller.
    // The CLI takes a system prompt with its first message only.
    const first = systemPrompt ? this.#controls.request({ subtype: 'initialize', systemPrompt }) : Promise.resolve()
    this.#ready = this.#prepared((signal) => first.then(() => this.clear(signal)), startTimeoutMs)
  }

  /** Settles once the next turn may begin: the CLI is up, has listed only the expected tools, and is cleared. */
  get ready(): Promise<void> {
    return this.#ready
  }

  /** The tools of its model, once it is ready. */
  get offered(): readonly string[] {
    return this.#offered
  }

  /** How many turns with a caller's prompt it has served. */
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
   * Sends a prompt, once the worker has this model and these tools. On abort or early return this settles after the turn
   * was interrupted and has ended.
   */
  async *turn(
    prompt: string,
    { model, tools, settings, signal }: TurnSetup,
  ): AsyncGenerator<CliEvent, void, undefined> {
    await interruptible(this.#ready, signal)
    this.#isUsed = true
    this.#liveness.begin()
    try {
      // A session that has seen tools keeps offering them to its model after they are removed.
      if (this.#client.tools && this.#client.tools !== tools) await this.#forget(signal)
      await interruptible(this.#setModel(model), signal)
      await interruptible(this.#apply(settings), signal)
      await interruptible(this.#client.use(tools), signal)
      this.#served++
      yield* this.#run(prompt, signal)
    } finally {
      this.#liveness.end()
    }
  }

  /** Asks the CLI something that needs no model. Throws if it does not know the request. */
  async ask(request: ControlRequest, signal: AbortSignal): Promise<unknown> {
    await interruptible(this.#ready, signal)
    return interruptible(this.#controls.request(request), signal)
  }

  /** Interrupts the current turn: its `result` follows soon. A CLI that does not end the turn is killed. */
  interrupt(): void {
    if (this.#turn) this.#interruption.begin()
  }

  /** Clears the conversation; the next turn begins a new session. Stops where that is not sure. */
  async clear(signal: AbortSignal): Promise<void> {
    try {
      await readClearing(this.#run(clearCommand, signal))
    } catch (error) {
      if (!signal.aborted) void this.stop()
      throw error
    }
  }

  /** Begins to clear a used session. The next turn waits for it; a worker that cannot be cleared is stopped. */
  reset(): void {
    if (!this.#isUsed) return
    this.#isUsed = false
    this.#ready = this.#prepared((signal) => this.#forget(signal), clearTimeoutMs)
  }

  stop(): Promise<Exit> {
    return this.#process.stop()
  }

  async *#run(prompt: string, signal: AbortSignal): AsyncGenerator<CliEvent, void, undefined> {
    if (signal.aborted) throw abortError(signal)
    const channel = this.#send(prompt)
    const leave = () => channel.fail(abortError(signal))
    signal.addEventListener('abort', leave)
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
    if (model === this.#model && this.#hasModel) return
    this.#hasModel = false
    await this.#controls.request({ subtype: 'set_model', model })
    this.#model = model
    this.#hasModel = true
  }

  /** What a CLI was told stays: a turn that says the same costs nothing. */
  async #apply(settings: TurnSettings | undefined): Promise<void> {
    const { body, effort } = this.#settings ?? {}
    if (!settings || (settings.body === body && settings.effort === effort)) return
    const env = settingsEnvironment(settings)
    // A turn that ends meanwhile leaves open what the CLI was told; the next one must not run with that.
    this.#settings = undefined
    await this.#controls.request({ subtype: 'apply_flag_settings', settings: { env } })
    this.#settings = settings
  }

  /** Removes the caller's tools before the session, so that the new session lists none. */
  async #forget(signal: AbortSignal): Promise<void> {
    await interruptible(this.#client.use(undefined), signal)
    await this.clear(signal)
  }

  /** Runs the preparation that the next turn waits for. A worker that does not finish it in time is stopped. */
  #prepared(work: (signal: AbortSignal) => Promise<void>, timeoutMs: number): Promise<void> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const prepared = work(timeout).catch((error) => {
      throw timeout.aborted ? silentFailure(error) : error
    })
    prepared.then(
      () => this.#liveness.ask(),
      () => this.stop(),
    )
    return prepared
  }

  #end(why: SearchError): void {
    this.#fail(why)
    void this.stop()
  }

  #send(prompt: string): Channel<CliEvent> {
    if (!this.alive) throw new SearchError('unavailable', 'The Claude worker has ended.')
    const channel = new Channel<CliEvent>()
    this.#turn = channel
    this.#hasBegun = prompt === clearCommand // its `init` is checked when it has ended
    const content = [{ type: 'text', text: prompt }]
    this.#process.write(JSON.stringify({ type: 'user', message: { role: 'user', content } }))
    return channel
  }

  /** Interrupts the current turn, and waits for its end. */
  async #abandon(): Promise<void> {
    if (!this.alive) return
    const ended = new Channel<CliEvent>()
    this.#turn = ended
    this.#hasBegun = true
    this.interrupt()
    try {
      for await (const event of ended) if (event.type === 'result') return
    } catch {
      // The CLI died, which also ends the turn.
    }
  }

  #receive(line: string): void {
    const event = parseCliLine(line)
    if (!event) return
    this.#liveness.heard()
    if (event.type === 'control-response') return void this.#controls.settle(event.id, event.error, event.response)
    if (event.type === 'control-request') return void this.#client.answer(event.id, event.message)
    if (event.type === 'result') this.#interruption.end()
    if (event.type === 'init') {
      this.#hasBegun = true
      this.#check(event.tools)
      this.#interruption.turnBegins()
    }
    if (this.#hasBegun) this.#turn?.push(event)
  }

  /** Fails closed: a model with a tool that csp did not allow could act on this machine. */
  #check(tools: readonly string[]): void {
    this.#offered = tools
    const { names } = this.#client
    const missing = names.filter((tool) => !tools.includes(tool))
    if (missing.length > 0) this.#turn?.fail(missingTools(missing))
    const unexpected = tools.filter((tool) => !this.#tools.has(tool) && !names.includes(tool))
    if (unexpected.length > 0) this.#end(unexpectedTools(unexpected))
  }

  #fail(error: SearchError): void {
    this.#interruption.end()
    this.#turn?.fail(error)
    this.#controls.end()
  }
}

/** Reads the turn of a `/clear` to its end. Throws if the session may still hold what was said in it. */
async function readClearing(events: AsyncIterable<CliEvent>): Promise<void> {
  let init: Extract<CliEvent, { type: 'init' }> | undefined
  let isProven = false
  for await (const event of events) {
    if (event.type === 'init') init = event
    isProven ||= event.type === 'reset'
    if (event.type === 'result' && event.result.failed) throw notCleared(event.result.text)
  }
  if (!init) throw new SearchError('unavailable', 'Claude did not report which tools its model has.')
  // Another CLI may stand there since it was probed.
  const problem = init.version && tooOld(init.version)
  if (problem) throw new SearchError('unavailable', problem)
  if (!isProven && provesClearing(init.version)) throw notCleared(init.version)
}

function notCleared(cause: string | undefined): SearchError {
  return new SearchError('unavailable', 'Claude did not clear its session.', { cause })
}

const clearCommand = '/clear'
const startTimeoutMs = 15_000
const clearTimeoutMs = 5000
