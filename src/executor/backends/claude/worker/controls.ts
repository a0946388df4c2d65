import { SearchError } from '../../../../domain/error.ts'

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
