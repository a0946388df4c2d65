import { raced } from '@csp/lib/abort'
import { toPageError } from '../page-failure.ts'
import type { AwaitedByPage, PageContext } from '../page-reader.ts'
import type { WholePage, WholePageReader } from '../whole-page.ts'
import { pageKey } from './page-key.ts'

/**
 * Reads a page once for equal requests at the same time. A caller that leaves does not affect the others; the last one
 * that leaves ends the read.
 */
export function shared(inner: WholePageReader): WholePageReader {
  const runs = new Map<string, Run>()

  function start(key: string, begin: (context: Pick<PageContext, 'signal' | 'onWait'>) => Promise<WholePage>): Run {
    const own = new AbortController()
    const waiting = new Set<OnWait>()
    let awaited: AwaitedByPage | undefined
    const onWait: OnWait = (what) => {
      awaited = what
      for (const tell of waiting) tell(what)
    }
    const join = (tell: OnWait): void => {
      waiting.add(tell)
      if (awaited) tell(awaited)
    }
    const forget = (): void => {
      if (runs.get(key) === run) runs.delete(key)
    }
    const page = begin({ signal: own.signal, onWait }).finally(forget)
    const run: Run = { page, readers: 0, own, forget, join }
    run.page.catch(() => {})
    runs.set(key, run)
    return run
  }

  return {
    async read(request, context) {
      // A run is refused redirects that others would follow.
      if (context.mayVisit || (context.cache && context.cache !== 'default')) return inner.read(request, context)
      const key = pageKey(request, context)
      const run = runs.get(key) ?? start(key, (own) => inner.read(request, { ...context, ...own }))
      if (context.onWait) run.join(context.onWait)
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
  /** Tells one more reader what the page waits for. */
  readonly join: (tell: OnWait) => void
  readers: number
}

type OnWait = (awaited: AwaitedByPage) => void
