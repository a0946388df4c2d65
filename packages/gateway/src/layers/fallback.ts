import type { UpstreamError } from '@csp/messages-api/upstream-error'
import { beginOrFail } from './call.ts'

/**
 * Passes on the first reply that begins. Candidates are asked in their order, each only when the one before has failed
 * before its first item with a fault that is its own.
 */
export async function* firstToBegin<Item>(
  candidates: readonly (() => AsyncIterable<Item>)[],
  onFailure: (failure: UpstreamError) => void,
): AsyncGenerator<Item, void, undefined> {
  for (const [index, begin] of candidates.entries()) {
    const failure = yield* beginOrFail(begin())
    if (!failure) return
    if (index === candidates.length - 1 || !isOfUpstream(failure)) throw failure
    onFailure(failure)
  }
}

/** Whether another upstream may do what this one failed to: not where the request is wrong, or its caller has left. */
export function isOfUpstream({ status }: UpstreamError): boolean {
  return status >= 500 || ofUpstream.has(status)
}

/** A key, a bill, a model that is missing there, a limit. */
const ofUpstream = new Set([401, 402, 403, 404, 408, 429])
