import { PageError } from '../page-error.ts'
import type { PageLayer } from '../whole-page.ts'

/** A deadline for each page, its wait in the queue included. */
export function deadline(timeoutMs: number): PageLayer {
  return (inner) => ({
    async read(request, context) {
      const own = new AbortController()
      const message = `The page took longer than ${timeoutMs / 1000} s.`
      const timer = setTimeout(() => own.abort(new PageError('timeout', message)), timeoutMs)
      try {
        return await inner.read(request, { ...context, signal: AbortSignal.any([context.signal, own.signal]) })
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => inner.close(),
  })
}
