import type { SearchRequest } from '../../domain/search.ts'
import type { Layer } from '../executor.ts'
import { layer } from './layer.ts'

/**
 * Adds the operator's instructions to every answer with sources, before the caller's own. It stands before the cache, so
 * that an answer under other instructions is another answer.
 */
export function instructed(instructions: string): Layer {
  return changed((request) =>
    request.want === 'answer'
      ? { ...request, instructions: [instructions, request.instructions].filter(Boolean).join('\n\n') }
      : request,
  )
}

/** Sets the language of searches that name none, before the cache, too. */
export function inLanguage(language: string): Layer {
  return changed((request) =>
    request.want === 'text'
      ? request
      : { ...request, filters: { ...request.filters, language: request.filters.language ?? language } },
  )
}

/** Sets how many backends list at once for searches that do not say: before the cache, since it is another list. */
export function merging(count: number): Layer {
  return changed((request) =>
    request.want === 'text' || request.sources ? request : { ...request, merge: request.merge ?? count },
  )
}

function changed(change: (request: SearchRequest) => SearchRequest): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) => inner.search(change(request), context),
      supports: (request) => inner.supports?.(change(request)) ?? true,
    })
}
