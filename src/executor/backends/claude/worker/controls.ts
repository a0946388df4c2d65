import { SearchError } from '../../../../domain/error.ts'
import { type ClientTools, clientServer } from '../../../answer/client-tools.ts'
import { explainFailure } from '../cli/errors.ts'

/** A request of csp to a worker's CLI, outside the conversation. */
export interface ControlRequest {
  readonly subtype:
    | 'initialize'
    | 'interrupt'
    | 'set_model'
    | 'apply_flag_settings'
    | 'mcp_set_servers'
    | 'mcp_status'
    | 'get_usage'
    | 'list_models'
  readonly [field: string]: unknown
}

/** The control channel of one CLI: matches answers to requests. */
export class Controls {
  readonly #write: (message: object) => void
  readonly #waiting = new Map<string, (error: string | undefined, response?: unknown) => void>()
  #count = 0
  #hasEnded = false

  constructor(write: (message: object) => void) {
    this.#write = write
  }

  /** Resolves with what the CLI answers. Throws `failed` when it refuses or ends. */
  request(request: ControlRequest): Promise<unknown> {
    const id = `csp-${++this.#count}`
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (error, response) => {
        this.#waiting.delete(id)
        if (error === undefined) resolve(response)
        else reject(refusal(request, error))
      })
      if (this.#hasEnded) this.settle(id, ended)
      else this.#write({ type: 'control_request', request_id: id, request })
    })
  }

  /** Handles an answer of the CLI. */
  settle(id: string, error: string | undefined, response?: unknown): void {
    this.#waiting.get(id)?.(error, response)
  }

  /** Answers a request of the CLI itself. */
  answer(id: string, response: object): void {
    this.#write({ type: 'control_response', response: { subtype: 'success', request_id: id, response } })
  }

  /** Refuses a request of the CLI itself. */
  refuse(id: string, error: string): void {
    this.#write({ type: 'control_response', response: { subtype: 'error', request_id: id, error } })
  }

  /** Fails all requests: the CLI has ended. */
  end(): void {
    this.#hasEnded = true
    for (const settle of this.#waiting.values()) settle(ended)
  }
}

const ended = 'it has ended'

/** A change of the model asks the API, whose failures have codes of their own. */
function refusal({ subtype }: ControlRequest, error: string): SearchError {
  const explained = explainFailure({ text: error }, new Date())
  return explained.code === 'unavailable'
    ? explained
    : new SearchError('failed', `Claude refused ${subtype}: ${error.slice(0, 200)}`, {
        forOthers: `Claude refused ${subtype}.`,
      })
}

/** What a CLI works with from one turn on, until it is told otherwise. */
export interface TurnSettings {
  /** Fields that replace those of the same name in the body of each call of the API, as JSON. */
  readonly body: string
  readonly effort: 'low' | 'medium'
}

/** The variables that a CLI reads them from. */
export function settingsEnvironment({ body, effort }: TurnSettings): Readonly<Record<string, string>> {
  return { CLAUDE_CODE_EXTRA_BODY: body, CLAUDE_CODE_EFFORT_LEVEL: effort }
}

/** The options of a turn besides its prompt. */
export interface TurnSetup {
  readonly settings?: TurnSettings | undefined
  readonly model: string
  /** The caller's tools. The same object in the next turn of a session keeps them. */
  readonly tools: ClientTools | undefined
  readonly signal: AbortSignal
}

/** Connects the caller's tools to one CLI, and disconnects them. */
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

  /** The tools that the CLI has, or is about to have. */
  get tools(): ClientTools | undefined {
    return this.#tools
  }

  /** The names that the CLI may list. */
  get names(): readonly string[] {
    return this.#tools?.names ?? []
  }

  /** Resolves once the CLI has exactly these tools. One swap at a time. */
  use(tools: ClientTools | undefined): Promise<void> {
    const swap = this.#swapping.then(() => this.#swap(tools))
    this.#swapping = swap.catch(() => {})
    return swap
  }

  /** Answers an MCP message of the CLI. Tool calls stay unanswered. */
  answer(id: string, message: unknown): void {
    const reply = this.#tools?.answer(message)
    if (reply) this.#controls.answer(id, { mcp_response: reply })
    else if (!this.#tools || message === undefined) this.#controls.refuse(id, 'csp has no such server.')
  }

  /** The CLI may only list tools that are known here: the old ones leave first, the new ones are known first. */
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

/** Asks a CLI to end the current turn, and kills the CLI when it does not. */
export class TurnInterruption {
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

  /** The turn begins only now. The CLI ignored an earlier interrupt, so it is asked again. */
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
