import type { Executor, Prepared } from '../executor.ts'

/** What a layer does in its own way; `search` at least. */
export type LayerParts = Pick<Executor, 'search'> &
  Partial<Pick<Executor, 'supports' | 'answers' | 'prepare' | 'health' | 'close'>>

/**
 * An executor around another: delegates everything except the parts given. A `search` that does more than pass on does it
 * in a generator, since nothing may happen before the first `next()`. Work that must end with the search takes `attended`.
 * @example
 * const counted = (count: { searches: number }): Layer => (inner) =>
 *   layer(inner, {
 *     async *search(request, context) {
 *       count.searches += 1
 *       yield* inner.search(request, context)
 *     },
 *   })
 */
export function layer(inner: Executor, parts: LayerParts): Executor {
  return {
    name: inner.name,
    supports: (request) => inner.supports?.(request) ?? true,
    answers: async (request, context) => (await inner.answers?.(request, context)) ?? true,
    prepare: inner.prepare && ((request, context) => inner.prepare?.(request, context) ?? nothingReady()),
    health: () => inner.health(),
    close: () => inner.close(),
    ...parts,
  }
}

/** The `prepare` of an executor that needs nothing before it writes. */
export async function nothingReady(): Promise<Prepared> {
  return { release() {} }
}
