import { abortError } from '../../../domain/abort.ts'
import { accountOf } from '../../../domain/account.ts'
import { type SearchErrorCode, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { OpenAccount } from './account.ts'
import type { Meter } from './budget.ts'
import { nothing } from './ledger.ts'

/**
 * Counts what each caller spends, and rejects with `rate-limited` what exceeds a limit. It stands inside the cache, so
 * that known answers are free. Plain text (`want: 'text'`) costs tokens and no search.
 */
export function metered(budget: Meter): Layer {
  const entries = new Set<Promise<void>>()
  // What was spent counts at once; its entry is written behind the reply.
  const reserve: Meter['reserve'] = async (...asked) => {
    const { settle } = await budget.reserve(...asked)
    return {
      async settle(parts) {
        const entry = settle(parts).finally(() => entries.delete(entry))
        entries.add(entry)
      },
    }
  }
  return (inner) =>
    layer(inner, {
      search: (request, context) => search(inner, { reserve }, request, context),
      health: async () => ({ ...(await inner.health()), budget: await budget.health() }),
      async close() {
        await inner.close()
        await Promise.all(entries)
        await budget.ledger.close?.()
      },
    })
}

async function* search(
  inner: Executor,
  budget: Pick<Meter, 'reserve'>,
  request: SearchRequest,
  context: SearchContext,
): SearchEvents {
  if (context.signal.aborted) throw abortError(context.signal)
  const searches = request.want !== 'text' && !request.sources
  const caller = accountOf(context.caller)
  const { settle } = await budget.reserve(caller, searches)
  const account = new OpenAccount(() => budget.reserve(caller, true))
  let backend = inner.name
  let found = 0
  // A caller that leaves early is not a failure.
  let failure: SearchErrorCode = 'cancelled'
  try {
    for await (const event of inner.search(request, { ...context, account })) {
      if (event.type === 'backend') backend = event.name
      if (event.type === 'search-results' && searches) found++
      if (event.type === 'done') {
        const { searches: told, inputTokens, outputTokens } = event.usage
        const spent = { ...nothing, requests: 1, searches: Math.max(told, found), inputTokens, outputTokens }
        await settle(account.of(backend, spent))
      }
      yield event
    }
  } catch (error) {
    failure = toSearchError(error).code
    throw error
  } finally {
    const mayHaveSearched = searches && account.hasReached && traitsOf(failure).mayHaveSearched
    const made = mayHaveSearched ? Math.max(found, 1) : found
    await settle(account.of(backend, { ...nothing, requests: 1, failures: 1, searches: made }))
  }
}
