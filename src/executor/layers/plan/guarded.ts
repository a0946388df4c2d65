import { abortError } from '../../../domain/abort.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { attended } from '../../../lib/attended.ts'
import type { Layer, SearchContext, Writer } from '../../executor.ts'
import { layer } from '../layer.ts'
import type { PlanGuard } from './plan-guard.ts'

/** Asks a backend only for what its plan has room for. */
export function guarded(guard: PlanGuard): Layer {
  return (inner) =>
    layer(inner, {
      search: (...asked) => admitted(guard, () => inner.search(...asked), ...asked),
      health: async () => withPlan(await inner.health(), guard),
    })
}

/** A writer that writes only while its plan has room. */
export function writerWithPlan(guard: PlanGuard, writer: Writer): Writer {
  return {
    write: (request, sources, context) =>
      admitted(guard, () => writer.write(request, sources, context), request, context),
  }
}

function admitted(
  guard: PlanGuard,
  search: () => AsyncIterable<SearchEvent>,
  request: SearchRequest,
  { signal, caller }: SearchContext,
): SearchEvents {
  return attended(async () => {
    if (signal.aborted) throw abortError(signal)
    const onEnd = await guard.admit(request, caller)
    return { items: search(), onEnd }
  })
}

function withPlan(found: ExecutorHealth, guard: PlanGuard): ExecutorHealth {
  const { health: plan, rateLimit } = guard
  const isPaused = plan.paused?.kinds.includes('lists') ?? false
  const backends = found.backends.map((backend) => ({
    ...backend,
    ready: backend.ready && !isPaused,
    problem: backend.problem ?? (isPaused ? plan.paused?.reason : undefined),
    rateLimit: rateLimit ?? backend.rateLimit,
    plan,
  }))
  return { ...found, ready: found.ready && !isPaused, backends }
}
