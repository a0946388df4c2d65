import type { SearchEvent, SearchEvents } from '../../../domain/search.ts'
import { type Correction, type ModelEvent, type ReplyBrief, ReplySession } from '../../answer/reply-session.ts'
import { hasUnexpectedTools, isBrokenOff } from './cli/errors.ts'
import type { Task } from './engines.ts'
import { readOutput } from './search-output.ts'
import type { Lease } from './worker/pool.ts'
import { type AgentEvent, runTurn, type TurnOptions } from './worker/turn.ts'

/** A reply that a worker writes. */
export interface WorkerReply extends Pick<ReplyBrief, 'searchReminder' | 'sources' | 'searches'> {
  readonly lease: Lease
  readonly prompt: string
}

/**
 * Has a worker write the reply, `done` included. A worker that dies before anything was emitted is replaced once, unless
 * its CLI offers foreign tools, and a message that breaks off is asked for once more; a correction is asked for in the same
 * session, or in a cleared one.
 */
export async function* writeReply(task: Task, { lease, prompt, ...brief }: WorkerReply): SearchEvents {
  const { request, shape, enough, signal } = task
  const session = new ReplySession({ request, shape, enough, ...brief })
  const correction = yield* firstTurn(task, session, lease, prompt)
  if (!correction) return
  if (correction.startsFresh) await lease.worker.clear(signal)
  yield* session.lastTurn(modelEvents(task, lease, correction.prompt))
}

async function* firstTurn(
  task: Task,
  session: ReplySession,
  lease: Lease,
  prompt: string,
): AsyncGenerator<SearchEvent, Correction | undefined, undefined> {
  try {
    return yield* session.turn(modelEvents(task, lease, prompt))
  } catch (error) {
    const isLost = session.hasEmitted || task.signal.aborted || hasUnexpectedTools(error)
    if (isLost || (lease.worker.alive && !isBrokenOff(error))) throw error
    if (lease.worker.alive) await lease.worker.clear(task.signal)
    else lease.exchange()
    return yield* session.turn(modelEvents(task, lease, prompt))
  }
}

async function* modelEvents(task: Task, lease: Lease, prompt: string): AsyncGenerator<ModelEvent, void, undefined> {
  const turn = runTurn(lease.worker, turnOptions(task, prompt))
  for await (const event of turn) yield toModelEvent(event, task)
}

function turnOptions({ engines, request, tools, signal, enough, trace, isWhole }: Task, prompt: string): TurnOptions {
  const model = engines.modelFor(request)
  // The end that a stop sequence makes is found in the text as it comes.
  const holdsMessages = isWhole && (request.stop ?? []).length === 0
  const onRateLimit: TurnOptions['onRateLimit'] = (limit) => engines.noteLimit(limit)
  return { prompt, model, tools, signal, enough, trace, holdsMessages, now: () => engines.now(), onRateLimit }
}

function toModelEvent(event: AgentEvent, { request, engines }: Task): ModelEvent {
  switch (event.type) {
    case 'search-output': {
      const { rows } = readOutput(event.output, request, engines.now())
      return { type: 'search-results', id: event.id, results: rows }
    }
    case 'end': {
      const { stopReason, inputTokens, outputTokens } = event.result
      return { type: 'end', model: event.model, stopReason, inputTokens, outputTokens }
    }
    default:
      return event
  }
}
