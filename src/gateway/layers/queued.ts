import { Places } from '../../lib/places.ts'
import { abortedCall, UpstreamError } from '../upstream-error.ts'
import type { CallLayer } from './call.ts'

export interface QueueOptions {
  /** Of the upstream, for messages. */
  readonly name: string
  /** Calls that run at once. */
  readonly concurrency: number
  /** Calls that may wait; 100 by default. */
  readonly capacity?: number | undefined
  /** Aborted when the upstream closes: what waits fails. */
  readonly closing: AbortSignal
}

/** Lets so many calls run at once. The others wait for their turn, and are refused when too many do. */
export function queued({ name, concurrency, capacity = 100, closing }: QueueOptions): CallLayer {
  const places = new Places(concurrency)

  async function enter(signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw abortedCall(signal)
    if (closing.aborted) throw closed()
    if (places.taken >= concurrency && places.waiting >= capacity) throw full(name, places)
    const leave = await places.take(AbortSignal.any([signal, closing]))
    if (leave) return leave
    throw signal.aborted ? abortedCall(signal) : closed()
  }

  return (inner) =>
    async function* (context) {
      const leave = await enter(context.signal)
      try {
        yield* inner(context)
      } finally {
        leave()
      }
    }
}

function full(name: string, { taken, waiting }: Places): UpstreamError {
  const message = `The upstream ${name} is busy: ${taken} requests are running there and ${waiting} wait. Try again later.`
  return new UpstreamError(529, message, { retryAfterSeconds: 5 })
}

function closed(): UpstreamError {
  return new UpstreamError(503, 'csp is shutting down.')
}
