import type { FoundPages } from '@csp/page-reader/layers/allowed'
import type { Executor } from '../../executor/executor.ts'

/** The same executor, whose results are noted as found. */
export function noted(found: FoundPages, executor: Executor): Executor {
  return {
    name: executor.name,
    supports: (request) => executor.supports?.(request) ?? true,
    health: () => executor.health(),
    close: () => executor.close(),
    async *search(request, context) {
      for await (const event of executor.search(request, context)) {
        if (event.type === 'search-results') for (const { url } of event.results) found.add(url, context.caller)
        yield event
      }
    },
  }
}
