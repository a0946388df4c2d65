import { attended } from '@csp/lib/attended'
import type { SearchEvent, SearchEvents, SearchRequest, Turn } from '../../domain/search.ts'

/** Estimates the tokens of a prompt, one for every 3.5 characters, since the CLI cannot count them. */
export function estimatePromptTokens(request: SearchRequest): number {
  const { query, history, continuation = [], instructions = '', tools, schema } = request
  const turns = [...history, ...continuation].map(turnText)
  const structures = [tools, schema].flatMap((structure) => (structure ? [JSON.stringify(structure)] : []))
  return tokensIn([instructions, query, ...turns, ...structures].join('').length)
}

/**
 * Fills in the tokens of a text that the backend did not count, as the search tool of the CLI does not. Clients divide
 * by them, and drop a usage without any.
 */
export function withEstimatedUsage(events: AsyncIterable<SearchEvent>, promptTokens: number): SearchEvents {
  return attended(() => {
    const estimated = usageEstimator(promptTokens)
    return { items: events, instead: (event) => [estimated(event)] }
  })
}

/** The same for one event after another. */
export function usageEstimator(promptTokens: number): (event: SearchEvent) => SearchEvent {
  let written = 0
  return (event) => {
    if (event.type === 'text-delta') written += event.text.length
    if (event.type !== 'done') return event
    const { inputTokens, outputTokens } = event.usage
    const usage = { inputTokens: inputTokens || promptTokens, outputTokens: outputTokens || tokensIn(written) }
    return { ...event, usage: { ...event.usage, ...usage } }
  }
}

const charactersPerToken = 3.5

function tokensIn(characters: number): number {
  return Math.ceil(characters / charactersPerToken)
}

function turnText(turn: Turn): string {
  return turn.role === 'assistant' && turn.toolCalls ? turn.text + JSON.stringify(turn.toolCalls) : turn.text
}
