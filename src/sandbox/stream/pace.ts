import type { MessageEvent } from './message.ts'

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
export function eventMs(event: MessageEvent, { tokensPerSecond, searchMs }: Pace): number {
  if (isOf(event['content_block'], 'web_search_tool_result')) return searchMs
  const { delta } = event
  const written = isOf(delta, 'text_delta')
    ? delta['text']
    : isOf(delta, 'input_json_delta')
      ? delta['partial_json']
      : ''
  return tokensPerSecond > 0 ? (String(written).length / charactersPerToken / tokensPerSecond) * 1000 : 0
}

/** About as many as in English text. */
export const charactersPerToken = 4

/** Whether a part of an event is an object of this type. */
export function isOf(value: unknown, type: string): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Reflect.get(value, 'type') === type
}
