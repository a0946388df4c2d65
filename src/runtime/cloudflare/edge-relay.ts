import type { StorageInterface } from 'ocache'
import { type Relay, relayThrough } from '../../api/serve/relay.ts'
import { AnswerCache } from '../../executor/layers/cache/answer-cache.ts'
import { requestKey } from '../../executor/layers/cache/request-key.ts'
import type { Meter } from '../../executor/layers/metering/budget.ts'
import { nothing, type Spending } from '../../executor/layers/metering/ledger.ts'
import { accountOf } from '../../executor/layers/metering/metered.ts'
import type { Fetcher } from '../../executor/wire/fetcher.ts'

export interface EdgeRelayOptions {
  readonly ttlSeconds: number
  readonly storage: StorageInterface
  readonly meter: Meter
  /** The csps that can write the final bytes, in the order in which they are asked. */
  readonly homes: readonly { readonly name: string; readonly fetcher: Fetcher }[]
}

/**
 * Lets a home write the whole stream, so that the Worker only passes bytes on. Cached answers need no home. A relayed
 * stream counts as one search for each query. It is cached at home, not here.
 */
export function edgeRelay({ ttlSeconds, storage, meter, homes }: EdgeRelayOptions): Relay | undefined {
  if (homes.length === 0) return undefined
  return async (request, caller) => {
    const wanted = request.requests.filter(({ want }) => want !== 'text')
    const searches = wanted.length
    if (searches > 0 && request.cache === 'default') {
      const answers = new AnswerCache({ storage, ttlSeconds })
      const found = await Promise.all(wanted.map((one) => answers.find(requestKey(one))))
      if (found.every(Boolean)) return undefined
    }
    const { settle } = await meter.reserve(accountOf(caller), searches > 0)
    // If the client leaves while a home is working, the search still counts.
    let spent: Spending = { ...nothing, requests: 1, failures: 1, searches }
    let by = 'home'
    try {
      for (const { name, fetcher } of homes) {
        const response = await relayThrough(fetcher)(request, caller)
        if (!response) continue
        by = name
        spent = { ...nothing, requests: 1, ...(response.ok ? { searches } : { failures: 1 }) }
        return response
      }
      // The executor that answers instead counts its own usage.
      spent = nothing
      return undefined
    } finally {
      await settle(by, spent)
    }
  }
}
