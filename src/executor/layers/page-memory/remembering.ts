import { attended } from '@csp/lib/attended'
import { type MemoryScope, ownerOf, type SeenPage } from '../../../domain/memory.ts'
import type { Memory } from '../../../domain/recall.ts'
import type { SearchResult } from '../../../domain/search.ts'
import type { Layer } from '../../executor.ts'
import { layer } from '../layer.ts'

export interface RememberingOptions {
  readonly memory: Memory
  readonly scope: MemoryScope
}

/** Gives memory the rows that searches find, with their excerpts. It writes after the reply. */
export function remembering({ memory, scope }: RememberingOptions): Layer {
  return (inner) =>
    layer(inner, {
      search: (request, context) =>
        attended(() => ({
          items: inner.search(request, context),
          onItem(event) {
            if (event.type !== 'search-results' || context.cache === 'no-store') return
            const owner = ownerOf(scope, context.caller)
            memory.keep(event.results.flatMap((row) => seenIn(row, owner)))
          },
        })),
      health: async () => ({ ...(await inner.health()), memory: memory.health }),
      async close() {
        await inner.close()
        await memory.flush()
      },
    })
}

function seenIn(
  { url, title, snippet, passages = [], publishedAt, seenAt }: SearchResult,
  owner: string,
): readonly SeenPage[] {
  // What another csp has from its memory was not seen now.
  if (seenAt !== undefined) return []
  const text = [...(snippet ? [snippet] : []), ...passages].join('\n\n')
  return [{ url, title, text, extent: 'row', publishedAt, owner }]
}
