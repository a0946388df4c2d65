import type { SearchRequest } from '../../domain/search.ts'
import type { Layer } from '../executor.ts'
import { layer } from './layer.ts'

/**
 * Adds the operator's instructions to every answer with sources, before the caller's own. It stands before the cache, so
 * that an answer under other instructions is another answer.
 */
export function instructed(instructions: string): Layer {
  const add = (request: SearchRequest): SearchRequest =>
    request.want === 'answer'
      ? { ...request, instructions: [instructions, request.instructions].filter(Boolean).join('\n\n') }
      : request
  return (inner) =>
    layer(inner, {
      search: (request, context) => inner.search(add(request), context),
      supports: (request) => inner.supports?.(add(request)) ?? true,
    })
}
