import type { MessagesEvent } from '@csp/messages-api/events'

/** How fast a model is. All zero: it answers at once. */
export interface Pace {
  /** From the request to the first token, in milliseconds. */
  readonly firstTokenMs: number
  /** How fast the model writes text and arguments of tools; 0: no pauses. */
  readonly tokensPerSecond: number
  /** How long the server tool searches, in milliseconds. */
  readonly searchMs: number
}

/** A pace for all models, and what differs for those whose name contains a word, such as `haiku`. */
export interface PaceOptions extends Speeds {
  readonly models?: Readonly<Record<string, Speeds>> | undefined
}

type Speeds = { readonly [Name in keyof Pace]?: Pace[Name] | undefined }

/** The pace of a model. */
export function paceOf(model: string, { models = {}, ...all }: PaceOptions): Pace {
  const own = Object.entries(models).find(([word]) => model.includes(word))?.[1]
  return {
    firstTokenMs: own?.firstTokenMs ?? all.firstTokenMs ?? 0,
    tokensPerSecond: own?.tokensPerSecond ?? all.tokensPerSecond ?? 0,
    searchMs: own?.searchMs ?? all.searchMs ?? 0,
  }
}

/** The time that a model takes for an event, after the event before it. */
export function eventMs(event: MessagesEvent, { tokensPerSecond, searchMs }: Pace): number {
  if (event.type === 'content_block_start' && event.content_block.type === 'web_search_tool_result') return searchMs
  if (event.type !== 'content_block_delta' || tokensPerSecond === 0) return 0
  const { delta } = event
  const written = delta.type === 'text_delta' ? delta.text : delta.type === 'input_json_delta' ? delta.partial_json : ''
  return (written.length / charactersPerToken / tokensPerSecond) * 1000
}

/** About as many as in English text. */
export const charactersPerToken = 4
