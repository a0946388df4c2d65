import { attended } from '@csp/lib/attended'
import { abortError } from '../../../domain/abort.ts'
import type { ExecutorHealth } from '../../../domain/health.ts'
import type { SearchEvents, SearchRequest } from '../../../domain/search.ts'
import type { Executor, Layer, SearchContext } from '../../executor.ts'
import { layer, nothingReady } from '../layer.ts'
import type { PlanGuard } from './plan-guard.ts'

/** Asks a backend only for what its plan has room for. */
export function guarded(guard: PlanGuard): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) => admitted(guard, inner, request, context),
      async prepare(request, context) {
        await guard.check(request, context.caller)
        return inner.prepare?.(request, context) ?? nothingReady()
      },
      health: async () => withPlan(await inner.health(), guard),
    })
}

function admitted(guard: PlanGuard, inner: Executor, request: SearchRequest, context: SearchContext): SearchEvents {
  return attended(async () => {
    if (context.signal.aborted) throw abortError(context.signal)
    const onEnd = await guard.admit(request, context.caller)
    return { items: inner.search(request, context), onEnd }
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
