import { eventText } from '@csp/lib/event-stream'
import { errorEnvelope } from '@csp/messages-api/error'
import type { MessagesEvent } from '@csp/messages-api/events'
import type { Scenario } from '../scenario.ts'
import { messageEvents, type SandboxMessage } from './message.ts'
import { eventMs, type Pace } from './pace.ts'
import type { PacedStreamOptions, Piece } from './paced-stream.ts'

/** The parts of a reply that are sent, and how its connection ends. */
export interface Transfer extends Pick<PacedStreamOptions, 'end'> {
  readonly pieces: readonly Piece[]
}

/** A message as a stream of events. */
export function streamedTransfer(events: readonly MessagesEvent[], pace: Pace, scenario: Scenario): Transfer {
  const pieces = events.map((event) => ({
    text: eventText({ event: event.type, data: JSON.stringify(event) }),
    afterMs: eventMs(event, pace),
  }))
  const sent = sentEvents(events, scenario)
  if (scenario === 'error-midway') return { pieces: [...pieces.slice(0, sent), overloaded], end: 'whole' }
  return endedBy(scenario, pieces, sent)
}

/** As the API says it where its reply has begun. */
const overloaded: Piece = {
  text: eventText({ event: 'error', data: JSON.stringify(errorEnvelope('overloaded_error', 'Overloaded')) }),
  afterMs: 0,
}

/** A message as JSON: it is sent when the model has written all of it. */
export function wholeTransfer(message: SandboxMessage, pace: Pace, scenario: Scenario): Transfer {
  const text = JSON.stringify(message)
  const middle = Math.floor(text.length / 2)
  const afterMs = Array.from(messageEvents(message), (event) => eventMs(event, pace)).reduce((sum, ms) => sum + ms, 0)
  const pieces = [
    { text: text.slice(0, middle), afterMs },
    { text: text.slice(middle), afterMs: 0 },
  ]
  return endedBy(scenario, pieces, 1)
}

/** `sent`: how many pieces come before the end, where the scenario has one of its own. */
function endedBy(scenario: Scenario, pieces: readonly Piece[], sent: number): Transfer {
  const end = ends[scenario] ?? 'whole'
  return end === 'whole' || sent === 0 ? { pieces, end: 'whole' } : { pieces: pieces.slice(0, sent), end }
}

const ends: Readonly<Partial<Record<Scenario, PacedStreamOptions['end']>>> = {
  cut: 'break',
  'cut-in-text': 'break',
  'cut-after-text': 'break',
  'hang-midway': 'hang',
}

/** How many events go out before the connection ends; 0 where the reply has no text to be cut. */
function sentEvents(events: readonly MessagesEvent[], scenario: Scenario): number {
  const isText = (event: MessagesEvent) => event.type === 'content_block_delta' && event.delta.type === 'text_delta'
  const first = events.findIndex(isText)
  if (scenario === 'cut-in-text') return first < 0 ? 0 : first + 1
  if (scenario === 'cut-after-text')
    return first < 0 ? 0 : events.findIndex((event, at) => at > first && event.type === 'content_block_stop') + 1
  return Math.floor(events.length / 2)
}
