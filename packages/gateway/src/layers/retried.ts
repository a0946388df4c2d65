import { pause } from '@csp/lib/abort'
import { jitteredMs } from '@csp/lib/back-off'
import { abortedCall, type UpstreamError } from '@csp/messages-api/upstream-error'
import { beginOrFail, type CallLayer } from './call.ts'

export interface RetriedOptions {
  /** Waits so many milliseconds, or until the signal aborts. */
  readonly pause?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/** Repeats calls whose failure may pass within seconds, as long as nothing of the reply has come. */
export function retried({ pause: wait = pause }: RetriedOptions = {}): CallLayer {
  return (inner) =>
    async function* (context) {
      const { signal, trace } = context
      for (let retry = 0; ; retry++) {
        const failure = yield* beginOrFail(inner(context))
        if (!failure) return
        if (retry === retries || signal.aborted || !mayPassSoon(failure)) throw failure
        const waitMs = Math.max(jitteredMs(retry, waits), (failure.retryAfterSeconds ?? 0) * 1000)
        trace?.note(`Try ${retry + 1} failed, try ${retry + 2} begins in ${(waitMs / 1000).toFixed(1)} s`, failure)
        await wait(waitMs, signal)
        if (signal.aborted) throw abortedCall(signal)
      }
    }
}

function mayPassSoon({ status, retryAfterSeconds = 0 }: UpstreamError): boolean {
  return passing.has(status) && retryAfterSeconds <= maxWaitSeconds
}

/** Limits, overload, and servers that cannot be reached. */
const passing = new Set([429, 502, 503, 529])
/** Tries after the first. */
const retries = 2
const waits = { firstMs: 250, maxMs: 2000 }
const maxWaitSeconds = 5
