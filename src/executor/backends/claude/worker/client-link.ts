import { SearchError } from '../../../../domain/error.ts'
import { type ClientTools, clientServer } from '../../../answer/client-tools.ts'
import type { Controls } from './controls.ts'

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
