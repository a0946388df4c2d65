import type { Executor } from '../executor.ts'

/** What a layer does in its own way; `search` at least. */
export type LayerParts = Pick<Executor, 'search'> & Partial<Pick<Executor, 'supports' | 'answers' | 'health' | 'close'>>

/** An executor around another: delegates everything except the parts given. */
export function layer(inner: Executor, parts: LayerParts): Executor {
  return {
    name: inner.name,
    supports: (request) => inner.supports?.(request) ?? true,
    answers: async (request, context) => (await inner.answers?.(request, context)) ?? true,
    health: () => inner.health(),
    close: () => inner.close(),
    ...parts,
  }
}
