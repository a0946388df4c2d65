import { SearchError } from '../../../../domain/error.ts'
import { provesClearing, tooOld } from '../cli/version.ts'
import type { CliEvent } from './events.ts'

/** Reads the turn of a `/clear` to its end. Throws if the session may still hold what was said in it. */
export async function readClearing(events: AsyncIterable<CliEvent>): Promise<void> {
  let init: Extract<CliEvent, { type: 'init' }> | undefined
  let isProven = false
  for await (const event of events) {
    if (event.type === 'init') init = event
    isProven ||= event.type === 'reset'
    if (event.type === 'result' && event.result.failed) throw notCleared(event.result.text)
  }
  if (!init) throw new SearchError('unavailable', 'Claude did not report which tools its model has.')
  // Another CLI may stand there since it was probed.
  const problem = init.version && tooOld(init.version)
  if (problem) throw new SearchError('unavailable', problem)
  if (!isProven && provesClearing(init.version)) throw notCleared(init.version)
}

function notCleared(cause: string | undefined): SearchError {
  return new SearchError('unavailable', 'Claude did not clear its session.', { cause })
}
