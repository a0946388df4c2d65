import { collect } from './answer.ts'
import type { JobEvent } from './job.ts'
import type { Answer, SearchEvent } from './search.ts'

/** The answer of a completed job: the fold of its last run. */
export function answerOfJob(events: readonly JobEvent[]): Promise<Answer> {
  async function* kept(): AsyncGenerator<SearchEvent> {
    for (const { event, run } of events) if (run === events.at(-1)?.run) yield event
  }
  return collect(kept())
}
