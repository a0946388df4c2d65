import { isObject, parseJson } from '@csp/lib/json'
import type { BlockDelta, StopReason } from '@csp/messages-api/events'
import type { ContentBlock } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import { JsonEnd } from './json-end.ts'

/** A block of the reply while it grows. What has come is kept until it may be sent: its turn in the queue comes later. */
export interface Segment {
  readonly type: 'text' | 'thinking' | 'tool'
  /** Whether nothing can follow: another block may begin. */
  readonly isComplete: boolean
  /** The start of its block; `undefined` while it is not known. */
  start(): ContentBlock | undefined
  /** Takes the deltas that came since the last call. */
  take(): readonly BlockDelta[]
  /** The last deltas of the block. */
  end(): readonly BlockDelta[]
}

/** A text. Its block begins with its first letter: the vendor refuses one that is blank when it comes again in a later turn. */
export class TextSegment implements Segment {
  readonly type = 'text'
  isComplete = false
  #text = ''
  #hasBegun = false

  push(text: string): void {
    this.#text += text
    this.#hasBegun ||= /\S/.test(text)
  }

  start(): ContentBlock | undefined {
    return this.#hasBegun ? { type: 'text', text: '' } : undefined
  }

  take(): readonly BlockDelta[] {
    const text = this.#text
    this.#text = ''
    return text === '' ? [] : [{ type: 'text_delta', text }]
  }

  end(): readonly BlockDelta[] {
    return []
  }
}

interface ToolPiece {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly json: string
}

/** A call of a tool. Its block begins when id and name are known. */
export class ToolSegment implements Segment {
  readonly type = 'tool'
  readonly #end = new JsonEnd()
  readonly #all: string[] = []
  readonly #mended: string[] = []
  #id: string | undefined
  #name: string | undefined
  #arguments = ''
  #isFinished = false
  #isSent = false

  get id(): string | undefined {
    return this.#id
  }

  get name(): string | undefined {
    return this.#name
  }

  /** Whether the arguments are whole: what comes then repeats them, or belongs to another call. */
  get hasAllArguments(): boolean {
    return this.#end.hasEnded
  }

  get isComplete(): boolean {
    return this.#isFinished || (this.#end.hasEnded && this.#name !== undefined && this.#id !== undefined)
  }

  /** Whether the arguments are no JSON object. None at all are an empty one. */
  get isMalformed(): boolean {
    const text = this.#mended.join('').trim()
    return text !== '' && !isObject(parseJson(text))
  }

  /** Whether malformed arguments have gone out already. */
  get isBroken(): boolean {
    return this.#isSent && this.isMalformed
  }

  /** The arguments that have come, as they came. */
  get json(): string {
    return this.#all.join('')
  }

  push({ id, name, json }: ToolPiece): void {
    this.#id ??= id
    this.#name ??= name
    if (!json || this.#end.hasEnded) return
    const mended = this.#end.push(json)
    this.#arguments += mended
    this.#mended.push(mended)
    this.#all.push(json)
  }

  /** The reply is over: what is not known by now gets a value. */
  finish(newId: () => string): void {
    this.#isFinished = true
    this.#id ??= newId()
  }

  start(): ContentBlock | undefined {
    if (this.#id === undefined || this.#name === undefined) return undefined
    return { type: 'tool_use', id: this.#id, name: this.#name, input: {} }
  }

  take(): readonly BlockDelta[] {
    if (!this.#isSent && !this.#isReady()) return []
    const partial_json = this.#arguments
    this.#arguments = ''
    return partial_json === '' ? [] : [{ type: 'input_json_delta', partial_json }]
  }

  /** Whether the arguments may go out. Until they begin as an object they are held, and become one at their end. */
  #isReady(): boolean {
    if (this.isComplete && this.isMalformed) {
      this.#arguments = JSON.stringify(objectFrom(this.#mended.join('')))
      return true
    }
    this.#isSent = /^\s*\{\s*["}]/.test(this.#arguments)
    return this.#isSent || this.isComplete
  }

  end(): readonly BlockDelta[] {
    return []
  }
}

/**
 * Notes what is odd about a call of a reply that has ended. Throws where malformed arguments are with the client: they cannot
 * be taken back, and it may not act on a part of them. The limit of tokens explains them.
 */
export function checkCall(
  { name, isMalformed, isBroken }: ToolSegment,
  stopReason: StopReason,
  note: (message: string) => void,
): void {
  if (name === undefined) note('The model called a tool without a name. The call is left out.')
  else if (isMalformed) note(`The arguments of the call of ${name} are no JSON object.`)
  if (name !== undefined && isBroken && stopReason !== 'max_tokens')
    throw new UpstreamError(502, `The model called ${name} with arguments that are no JSON.`)
}

/** Arguments in a string, as some models write them; else the words, in a field that makes the client refuse the call. */
function objectFrom(text: string): unknown {
  const value = parseJson(text)
  const inner = typeof value === 'string' ? parseJson(new JsonEnd().push(value)) : value
  if (inner === null) return {}
  return isObject(inner) ? inner : { INVALID_JSON: text }
}
