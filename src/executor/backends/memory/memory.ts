import { spanOf } from '@csp/lib/times'
import { interruptible } from '../../../domain/abort.ts'
import { type MemoryScope, ownerOf } from '../../../domain/memory.ts'
import type { Memory } from '../../../domain/recall.ts'
import type { SearchResult } from '../../../domain/search.ts'
import { reportSearch } from '../../answer/events.ts'
import { excerptAnswer, needsModel } from '../../answer/excerpt-answer.ts'
import type { Executor } from '../../executor.ts'
import { apiBackend } from '../http/api-backend.ts'

export interface MemoryBackendOptions {
  readonly memory: Pick<Memory, 'recall'>
  readonly scope: MemoryScope
}

/**
 * The pages that csp has seen, as a backend: lists without a search, and answers made of excerpts, whose first line says
 * where they come from and how old they are. Only a csp on Bun has a memory, not the library and not the edge.
 */
export function memoryBackend({ memory, scope }: MemoryBackendOptions): Executor {
  return apiBackend({
    name: 'memory',
    now: () => new Date(),
    supports: (request) => request.want === 'results' || (request.want === 'answer' && !needsModel(request)),
    async *search(request, signal, _, caller) {
      const wish = typeof request.memory === 'object' ? request.memory : {}
      const recall = { ...request, ...wish, owner: ownerOf(scope, caller) }
      const rows = await interruptible(memory.recall(recall), signal)
      yield* reportSearch('memory-1', request.query, rows)
      const end = { usage: { searches: 0, inputTokens: 0, outputTokens: 0 }, model: 'memory' }
      if (request.want === 'answer') yield* excerptAnswer(rows, request, end, firstLineOf(rows))
      else yield { type: 'done', reason: 'stop', ...end }
    },
  })
}

function firstLineOf(sources: readonly SearchResult[]): string {
  const [first = '', ...others] = sources.flatMap(({ seenAt }) => seenAt ?? []).sort()
  const last = others.at(-1) ?? first
  const [from, to] = [first.slice(0, 10), last.slice(0, 10)]
  const age = spanOf(Math.max(0, (Date.now() - Date.parse(first)) / 1000))
  const when = from === to ? `on ${from} (${age} ago)` : `between ${from} and ${to} (up to ${age} ago)`
  return `From memory, without a new search: excerpts of pages as csp saw them ${when}.\n`
}
