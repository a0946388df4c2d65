import type { SearchResult } from '../../domain/search.ts'
import { converse } from './converse.ts'
import { Lease } from './lease.ts'
import { writerPrompt } from './prompt.ts'
import type { Road } from './roads.ts'
import type { Task } from './task.ts'

/** The second half of `standard`, over pages that another backend has found. One model call; the text streams. */
export async function* writeOver(task: Task, sources: readonly SearchResult[]): Road {
  const { engines, request, signal } = task
  await engines.ready(signal)
  const lease = new Lease(engines.pool, 'writer', engines.modelFor(request))
  try {
    yield* converse(task, { lease, prompt: writerPrompt(request, sources, ''), sources, searches: 0 })
  } finally {
    lease.end()
  }
}
