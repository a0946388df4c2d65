import { abortError } from '../../../domain/abort.ts'
import { accountOf } from '../../../domain/account.ts'
import { type SearchErrorCode, toSearchError, traitsOf } from '../../../domain/error.ts'
import type { SearchEvents, SearchRequest, Usage } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer } from '../layer.ts'
import { Apart } from './apart.ts'
import type { Meter } from './budget.ts'
import { nothing, type Spending } from './ledger.ts'

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
      async settle(...spent) {
        const entry = settle(...spent).finally(() => entries.delete(entry))
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
  const apart = new Apart(() => budget.reserve(caller, true))
  let backend = inner.name
  let found = 0
  // A caller that leaves early is not a failure.
  let failure: SearchErrorCode = 'cancelled'
  try {
    for await (const event of inner.search(request, { ...context, apart: apart.counted })) {
      if (event.type === 'backend') backend = event.name
      if (event.type === 'search-results' && searches) found++
      if (event.type !== 'done') yield event
      else {
        const { writer, ...done } = event
        const name = apart.backend ?? backend
        const other = writer && writer.name !== name ? writer : undefined
        const spent = spentOf(event.usage, other?.usage)
        const entered = apart.own({ ...spent, searches: Math.max(spent.searches, found) })
        await settle(name, entered, other && { backend: other.name, ...spentOf(other.usage) })
        yield done
      }
    }
  } catch (error) {
    failure = toSearchError(error).code
    throw error
  } finally {
    const made = searches && traitsOf(failure).mayHaveSearched ? Math.max(found, 1) : found
    await settle(apart.backend ?? backend, apart.own({ ...nothing, requests: 1, failures: 1, searches: made }))
  }
}

/** What a request cost, without the part that is somebody else's. */
function spentOf({ searches, inputTokens, outputTokens }: Usage, others?: Usage): Spending {
  return {
    ...nothing,
    requests: 1,
    searches: searches - (others?.searches ?? 0),
    inputTokens: inputTokens - (others?.inputTokens ?? 0),
    outputTokens: outputTokens - (others?.outputTokens ?? 0),
  }
}
