import { attended } from '@csp/lib/attended'
import { Semaphore } from '@csp/lib/semaphore'
import { abortedCall, shuttingDown, UpstreamError } from '@csp/messages-api/upstream-error'
import type { UpstreamContext } from '../upstream.ts'
import type { CallLayer } from './call.ts'

export interface QueueOptions {
  /** The upstream's name, for messages. */
  readonly name: string
  /** Calls that run at once. */
  readonly concurrency: number
  /** Calls that may wait; 100 by default. */
  readonly capacity?: number | undefined
  /** Aborted when the upstream closes: what waits fails. */
  readonly closing: AbortSignal
}

/**
 * Lets so many calls run at once. The others wait, their callers take turns, and when too many wait, the last one of the caller
 * with the most is refused.
 */
export function queued({ name, concurrency, capacity = 100, closing }: QueueOptions): CallLayer {
  const places = new Semaphore(concurrency, capacity)

  async function enter({ signal, caller }: UpstreamContext): Promise<() => void> {
    if (signal.aborted) throw abortedCall(signal)
    if (closing.aborted) throw shuttingDown()
    const place = await places.take(AbortSignal.any([signal, closing]), caller)
    if (place === 'full') throw full(name, places)
    if (place) return place
    throw signal.aborted ? abortedCall(signal) : shuttingDown()
  }

  return (inner) => (context) => attended(async () => ({ onEnd: await enter(context), items: inner(context) }))
}

function full(name: string, { taken, waiting }: Semaphore): UpstreamError {
  const message = `The upstream ${name} is busy: ${taken} requests are running there and ${waiting} wait. Try again later.`
  return new UpstreamError(529, message, { retryAfterSeconds: 5 })
}
