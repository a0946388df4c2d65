import { TurnClock } from '@csp/lib/turn-clock'

interface TextDelta {
  readonly type: 'text-delta'
  readonly text: string
}

/** In characters. What reads a text takes some microseconds for each. */
const maxPiece = 1000

/** The same events, with long texts in pieces, between which others have a turn: a model's text may come at once. */
export async function* paced<Event extends { readonly type: string }>(
  events: AsyncIterable<Event | TextDelta>,
): AsyncGenerator<Event | TextDelta, void, undefined> {
  const turns = new TurnClock()
  for await (const event of events) {
    if (!isText(event)) yield event
    else
      for (let start = 0; start < event.text.length; start += maxPiece) {
        await turns.rest()
        yield { type: 'text-delta', text: event.text.slice(start, start + maxPiece) }
      }
  }
}

function isText(event: { readonly type: string }): event is TextDelta {
  return event.type === 'text-delta'
}
