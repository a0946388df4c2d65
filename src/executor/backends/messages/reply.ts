import type { MessagesEvent } from '@csp/messages-api/events'
import type { SearchEvent, SearchEvents, SearchRequest } from '../../../domain/search.ts'
import { clientToolsFor } from '../../answer/client-tools.ts'
import { searchToolError } from '../../answer/errors.ts'
import { reportSearch } from '../../answer/events.ts'
import { JsonShape } from '../../answer/json/shape.ts'
import { nativeRows } from '../../answer/native-search.ts'
import { type Correction, type ModelEvent, ReplySession } from '../../answer/reply-session.ts'
import { endAtStop } from '../../answer/stop-sequences.ts'
import { type ApiMessage, type MessagesBrief, messagesOf, mustSearch, offeredName, userMessage } from './request.ts'
import { type ApiEvent, MessageTurn } from './turn.ts'

/** A model behind the Messages API. */
export interface MessagesModel {
  briefFor(request: SearchRequest): MessagesBrief
  /** One call: what the model says next in a conversation. */
  events(request: SearchRequest, said: readonly ApiMessage[], signal: AbortSignal): AsyncIterable<MessagesEvent>
}

/** `answer` and `text`. A reply that needs a correction is asked for once more. `onCall`: called before each call. */
export function writtenReply(
  model: MessagesModel,
  request: SearchRequest,
  signal: AbortSignal,
  onCall: () => void,
): AsyncIterable<SearchEvent> {
  const { stop = [] } = request
  const enough = new AbortController()
  const reply = writeReply(model, request, { signal, enough: enough.signal, onCall })
  return stop.length > 0 ? endAtStop(reply, stop, () => enough.abort()) : reply
}

/** One message, in as many calls as the API takes for it. `onTurn` gets each call's turn when it begins. */
export async function* callModel(
  model: MessagesModel,
  request: SearchRequest,
  conversation: readonly ApiMessage[],
  onTurn: (turn: MessageTurn) => void,
  signal: AbortSignal,
): AsyncGenerator<ApiEvent, void, undefined> {
  const said = [...conversation]
  for (let calls = 0; calls < maxCalls; calls++) {
    const turn = new MessageTurn()
    onTurn(turn)
    for await (const event of model.events(request, said, signal)) yield* turn.read(event)
    if (turn.stopReason !== 'pause_turn') return
    said.push({ role: 'assistant', content: turn.content })
  }
}

/** The API pauses a message with a long search. */
const maxCalls = 6

/** What a reply runs with: until when, until it has enough text, and whom it tells of each call. */
interface Run {
  readonly signal: AbortSignal
  readonly enough: AbortSignal
  readonly onCall: () => void
}

async function* writeReply(model: MessagesModel, request: SearchRequest, run: Run): SearchEvents {
  clientToolsFor(request) // throws for tools that cannot be offered
  const shape = request.schema && new JsonShape(request.schema)
  const searchReminder = mustSearch(request) ? 'You must call web_search before you write anything.' : undefined
  const sources = request.want === 'answer' ? request.sources : undefined
  if (sources) yield* reportSearch('sources', request.query, sources)
  const session = new ReplySession({ request, shape, searchReminder, sources, enough: run.enough })
  const conversation = messagesOf(request, model.briefFor(request))
  const turns: MessageTurn[] = []
  const modelEvents = (said: readonly ApiMessage[]) => runTurn(model, request, said, turns, run)
  const correction = yield* session.turn(modelEvents(conversation))
  if (correction) yield* session.lastTurn(modelEvents([...conversation, ...corrected(correction, turns.splice(0))]))
}

/** One message of the model, in as many calls as the API takes for it. Fills `turns`, one for each call. */
async function* runTurn(
  model: MessagesModel,
  request: SearchRequest,
  conversation: readonly ApiMessage[],
  turns: MessageTurn[],
  { signal, enough, onCall }: Run,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { now } = model.briefFor(request)
  const onTurn = (turn: MessageTurn) => {
    onCall()
    turns.push(turn)
  }
  for await (const event of callModel(model, request, conversation, onTurn, signal)) {
    yield toModelEvent(event, request, now)
    if (enough.aborted) break
  }
  const last = turns.at(-1)
  yield { type: 'end', stopReason: last?.stopReason, model: last?.model ?? '', ...tokensOf(turns) }
}

function toModelEvent(event: ApiEvent, request: SearchRequest, now: Date): ModelEvent {
  switch (event.type) {
    case 'search-hits':
      return { type: 'search-results', id: event.id, results: nativeRows(event.hits, request, 'messages', now) }
    case 'search-failed':
      return { type: 'search-failed', error: searchToolError(event.code) }
    case 'tool-call-start': {
      const tool = request.tools?.find(({ name }) => offeredName(name) === event.name)
      return { ...event, name: tool?.name ?? event.name }
    }
    default:
      return event
  }
}

/** What the conversation continues with after a turn that needs a correction. */
function corrected({ prompt, startsFresh }: Correction, turns: readonly MessageTurn[]): readonly ApiMessage[] {
  if (startsFresh) return [userMessage(prompt)]
  return [{ role: 'assistant', content: turns.flatMap(({ content }) => content) }, userMessage(prompt)]
}

/** What calls cost together. */
export function tokensOf(turns: readonly MessageTurn[]) {
  const sum = (of: (turn: MessageTurn) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  return { inputTokens: sum((turn) => turn.inputTokens), outputTokens: sum((turn) => turn.outputTokens) }
}
