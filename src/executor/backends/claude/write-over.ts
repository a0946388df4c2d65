import type { SearchEvents, SearchResult } from '../../../domain/search.ts'
import { writerPrompt } from '../../answer/prompt/prompt.ts'
import type { Task } from './engines.ts'
import { converse } from './reply.ts'
import { Lease } from './worker/lease.ts'

/** The second half of `standard`, over pages that another backend has found. One model call; the text streams. */
export async function* writeOver(task: Task, sources: readonly SearchResult[]): SearchEvents {
  const { engines, request, signal } = task
  await engines.ready(signal)
  const lease = new Lease(engines.pool, 'writer', engines.modelFor(request))
  try {
    yield* converse(task, { lease, prompt: writerPrompt(request, sources, ''), sources, searches: 0 })
  } finally {
    lease.end()
  }
}
