import { raced } from '@csp/lib/abort'
import { toPageError } from '../page-failure.ts'
import type { WholePage, WholePageReader } from '../whole-page.ts'
import { pageKey } from './page-key.ts'

/**
 * Reads a page once for equal requests at the same time. A caller that leaves does not affect the others; the last one
 * that leaves ends the read.
 */
export function shared(inner: WholePageReader): WholePageReader {
  const runs = new Map<string, Run>()

  function start(key: string, begin: (signal: AbortSignal) => Promise<WholePage>): Run {
    const own = new AbortController()
    const forget = (): void => {
      if (runs.get(key) === run) runs.delete(key)
    }
    const run: Run = { page: begin(own.signal).finally(forget), readers: 0, own, forget }
    run.page.catch(() => {})
    runs.set(key, run)
    return run
  }

  return {
    async read(request, context) {
      // A run is refused redirects that others would follow.
      if (context.mayVisit || (context.cache && context.cache !== 'default')) return inner.read(request, context)
      const key = pageKey(request, context)
      const run = runs.get(key) ?? start(key, (signal) => inner.read(request, { ...context, signal }))
      run.readers++
      try {
        return await raced(run.page, context.signal)
      } catch (error) {
        throw toPageError(error, context.signal)
      } finally {
        if (--run.readers === 0) {
          run.forget()
          run.own.abort()
          // The last one waits until the work has stopped, as the contract says.
          await run.page.catch(() => {})
        }
      }
    },
    close: () => inner.close(),
  }
}

interface Run {
  readonly page: Promise<WholePage>
  readonly own: AbortController
  readonly forget: () => void
  readers: number
}
