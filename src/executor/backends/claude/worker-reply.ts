import type { SearchEvent, SearchEvents, SearchResult } from '../../../domain/search.ts'
import { nativeRows } from '../../answer/native-search.ts'
import { type Correction, type ModelEvent, type ReplyBrief, ReplySession } from '../../answer/reply-session.ts'
import { hasUnexpectedTools, isBrokenOff } from './cli/errors.ts'
import type { WorkerKind } from './cli/launch.ts'
import type { Task } from './engines.ts'
import { readOutput } from './search-output.ts'
import type { TurnSettings } from './worker/controls.ts'
import { Lease } from './worker/pool.ts'
import { type AgentEvent, pauseTurn, runTurn, type TurnOptions } from './worker/turn.ts'

/** The reply of a worker that is leased for it. */
export async function* replyFrom(
  task: Task,
  kind: WorkerKind,
  reply: Omit<WorkerReply, 'lease'>,
  systemPrompt?: string,
): SearchEvents {
  const { engines, request, caller } = task
  const model = engines.modelFor(request)
  const lease =
    kind === 'writer' ? engines.writers.take(model, caller) : new Lease(engines.pool, kind, model, caller, systemPrompt)
  try {
    yield* writeReply(task, { lease, ...reply })
  } finally {
    lease.end()
  }
}

/** What is said to a worker, and how its turn runs. */
export interface Asked {
  readonly prompt: string
  /** Absent where its kind has none. */
  readonly settings?: TurnSettings | undefined
  /** Whether the reply has searched in an earlier turn. */
  readonly isContinued?: boolean | undefined
  /** Called for each event of its turns, before it is passed on. */
  readonly onEvent?: ((event: AgentEvent) => void) | undefined
  /** Called with the rows of each search that the API makes within the message, before they are passed on. */
  readonly onRows?: ((rows: readonly SearchResult[]) => void) | undefined
}

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
  const correction = yield* firstTurn(task, session, lease, { prompt })
  if (!correction) return
  if (correction.startsFresh) await lease.worker.clear(signal)
  yield* session.lastTurn(modelEvents(task, lease, correction))
}

/** The first turn of a reply, which is run once more where it was lost before anything was emitted. */
export async function* firstTurn(
  task: Task,
  session: ReplySession,
  lease: Lease,
  asked: Asked,
): AsyncGenerator<SearchEvent, Correction | undefined, undefined> {
  try {
    return yield* session.turn(modelEvents(task, lease, asked))
  } catch (error) {
    const isLost = session.hasEmitted || task.signal.aborted || hasUnexpectedTools(error)
    if (isLost || (lease.worker.alive && !isBrokenOff(error))) throw error
    if (lease.worker.alive) await lease.worker.clear(task.signal)
    else lease.exchange()
    return yield* session.turn(modelEvents(task, lease, asked))
  }
}

/** What a worker does with a prompt, in as many turns as the API takes for it: it pauses a message with a long search. */
export async function* modelEvents(
  task: Task,
  lease: Lease,
  { prompt, settings, isContinued, onEvent, onRows }: Asked,
): AsyncGenerator<ModelEvent, void, undefined> {
  const cost = { inputTokens: 0, outputTokens: 0 }
  const options = { ...turnOptions(task, prompt, settings), isContinued }
  for (let turns = 1; ; turns++) {
    let end: Extract<AgentEvent, { type: 'end' }> | undefined
    for await (const event of runTurn(
      lease.worker,
      turns === 1 ? options : { ...options, prompt: goOn, isContinued: true },
    )) {
      onEvent?.(event)
      if (event.type === 'end') end = event
      else yield toModelEvent(event, task, onRows)
    }
    if (!end) return
    const { stopReason, inputTokens, outputTokens } = end.result
    cost.inputTokens += inputTokens
    cost.outputTokens += outputTokens
    if (stopReason === pauseTurn && turns < maxTurns) continue
    return yield { type: 'end', model: end.model, stopReason, ...cost }
  }
}

const goOn = 'Go on.'
const maxTurns = 6

function turnOptions(
  { engines, request, tools, shape, signal, enough, trace, isWhole }: Task,
  prompt: string,
  settings: TurnSettings | undefined,
): TurnOptions {
  const model = engines.modelFor(request)
  // The end that a stop sequence makes is found in the text as it comes. JSON leaves whole, or not at all.
  const holdsMessages = (isWhole || (shape && !tools)) && (request.stop ?? []).length === 0
  const onRateLimit: TurnOptions['onRateLimit'] = (limit) => engines.noteLimit(limit)
  const now = () => engines.now()
  return { prompt, model, tools, settings, signal, enough, trace, holdsMessages, now, onRateLimit }
}

function toModelEvent(
  event: Exclude<AgentEvent, { type: 'end' }>,
  { request, engines }: Task,
  onRows: Asked['onRows'],
): ModelEvent {
  switch (event.type) {
    case 'search-output': {
      const { rows } = readOutput(event.output, request, engines.now())
      return { type: 'search-results', id: event.id, results: rows }
    }
    case 'search-hits': {
      const results = nativeRows(event.hits, request, 'claude', engines.now())
      onRows?.(results)
      return { type: 'search-results', id: event.id, results }
    }
    default:
      return event
  }
}
