import { SearchError } from '../../../../domain/error.ts'
import { type ClientTools, clientServer } from '../../../answer/client-tools.ts'

/** What csp asks of a worker's CLI beside the conversation. */
export interface ControlRequest {
  readonly subtype: 'interrupt' | 'set_model' | 'mcp_set_servers' | 'mcp_status'
  readonly [field: string]: unknown
}

/** The control channel of one CLI: requests, each with the answer that it waits for. */
export class Controls {
  readonly #write: (message: object) => void
  readonly #waiting = new Map<string, (error: string | undefined) => void>()
  #count = 0
  #hasEnded = false

  constructor(write: (message: object) => void) {
    this.#write = write
  }

  /** Resolves when the CLI has done it. Throws `failed` when it refuses, or ends. */
  request(request: ControlRequest): Promise<void> {
    const id = `csp-${++this.#count}`
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (error) => {
        this.#waiting.delete(id)
        if (error === undefined) resolve()
        else reject(new SearchError('failed', `Claude refused ${request.subtype}: ${error.slice(0, 200)}`))
      })
      if (this.#hasEnded) this.settle(id, ended)
      else this.#write({ type: 'control_request', request_id: id, request })
    })
  }

  /** The CLI has answered. */
  settle(id: string, error: string | undefined): void {
    this.#waiting.get(id)?.(error)
  }

  /** Answers a request of the CLI's own. */
  answer(id: string, response: object): void {
    this.#write({ type: 'control_response', response: { subtype: 'success', request_id: id, response } })
  }

  /** Refuses a request of the CLI's own. */
  refuse(id: string, error: string): void {
    this.#write({ type: 'control_response', response: { subtype: 'error', request_id: id, error } })
  }

  /** Nothing will be answered any more. */
  end(): void {
    this.#hasEnded = true
    for (const settle of this.#waiting.values()) settle(ended)
  }
}

const ended = 'it has ended'

/** Lends the caller's tools to one CLI, for as long as they are wanted. */
export class ClientLink {
  readonly #controls: Controls
  readonly #gone: Promise<never>
  #tools: ClientTools | undefined
  #swapping: Promise<void> = Promise.resolve()

  /** `exited`: settles when the CLI is gone. */
  constructor(controls: Controls, exited: Promise<unknown>) {
    this.#controls = controls
    this.#gone = exited.then(() => {
      throw new SearchError('unavailable', 'The Claude worker ended.')
    })
    this.#gone.catch(() => {})
  }

  /** What the CLI has, or is about to have. */
  get tools(): ClientTools | undefined {
    return this.#tools
  }

  /** The names that the CLI may list. */
  get names(): readonly string[] {
    return this.#tools?.names ?? []
  }

  /** Resolves once the CLI has these tools and no others. One swap at a time. */
  use(tools: ClientTools | undefined): Promise<void> {
    const swap = this.#swapping.then(() => this.#swap(tools))
    this.#swapping = swap.catch(() => {})
    return swap
  }

  /** Answers what the CLI asks, unless it asks for a call. */
  answer(id: string, message: unknown): void {
    const reply = this.#tools?.answer(message)
    if (reply) this.#controls.answer(id, { mcp_response: reply })
    else if (!this.#tools || message === undefined) this.#controls.refuse(id, 'csp offers no such thing.')
  }

  /** The CLI may only list what is known here: the old tools are let go first, and the new ones known first. */
  async #swap(tools: ClientTools | undefined): Promise<void> {
    if (tools === this.#tools) return
    if (this.#tools) await this.#controls.request({ subtype: 'mcp_set_servers', servers: {} })
    this.#tools = tools
    if (!tools) return
    const servers = { [clientServer]: { type: 'sdk', name: clientServer } }
    await this.#controls.request({ subtype: 'mcp_set_servers', servers })
    await Promise.race([tools.listed, this.#gone])
  }
}

/** Asks a CLI to end the turn under way, and ends the CLI itself when it does not. */
export class Interruption {
  readonly #ask: () => void
  readonly #giveUp: () => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: () => void, giveUp: () => void) {
    this.#ask = ask
    this.#giveUp = giveUp
  }

  /** Asks once for each turn. */
  begin(): void {
    if (this.#timer) return
    this.#timer = setTimeout(this.#giveUp, graceMs)
    this.#ask()
  }

  /** The turn begins only now. The CLI has not heeded what it was asked before, so it is asked again. */
  turnBegins(): void {
    if (this.#timer) this.#ask()
  }

  /** The turn has ended. */
  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const graceMs = 2000
