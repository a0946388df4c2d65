import type { Executor } from '../executor.ts'
import { SharedRun } from './cache/shared-run.ts'
import { layer } from './layer.ts'

/**
 * Reads each search to its end, whether its consumer reads or not: a client that stops reading must not hold the place
 * of its search, and its deadline must pass. What is not read yet is kept, up to `maxKeptCharacters`.
 */
export function pumped(inner: Executor): Executor {
  return layer(inner, {
    search: (request, context) =>
      new SharedRun(
        (signal) => inner.search(request, { ...context, signal }),
        () => {},
      ).read(context.signal),
  })
}
