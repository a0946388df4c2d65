import type { Executor } from '../executor.ts'

/** All of an executor but its search: what a layer that only searches differently leaves as it is. */
export function delegate(inner: Executor): Omit<Executor, 'search'> {
  return {
    name: inner.name,
    supports: (request) => inner.supports?.(request) ?? true,
    health: () => inner.health(),
    close: () => inner.close(),
  }
}
