import type { UpstreamCall } from '@csp/gateway/upstream'
import { accountOf } from '../../../../domain/account.ts'
import type { Meter, Reservation } from '../../../../executor/layers/metering/budget.ts'

/** What one request of the gateway spends. Its searches are counted where they are made. */
export class GatewaySpending {
  readonly #reservation: Reservation | undefined
  #upstream = ''
  #inputTokens = 0
  #outputTokens = 0
  #failures = 0

  private constructor(reservation: Reservation | undefined) {
    this.#reservation = reservation
  }

  /** Throws a `SearchError` when the caller's limit of tokens is reached. */
  static async begin(meter: Meter | undefined, caller: string | undefined): Promise<GatewaySpending> {
    return new GatewaySpending(await meter?.reserve(accountOf(caller), false))
  }

  /** Notes which upstream is asked now. */
  asks(upstream: string): void {
    this.#upstream = upstream
  }

  add({ inputTokens, outputTokens }: UpstreamCall): void {
    this.#inputTokens += inputTokens
    this.#outputTokens += outputTokens
  }

  fail(): void {
    this.#failures = 1
  }

  /** Enters it in the ledger, under the last upstream, when the reply has ended. Only the first call counts. */
  end(): void {
    const tokens = { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens }
    const spent = { requests: 1, failures: this.#failures, searches: 0, ...tokens }
    void this.#reservation?.settle([{ backend: `gateway/${this.#upstream}`, ...spent }])
  }
}
