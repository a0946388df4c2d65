import { parseJson } from '../../../lib/json.ts'
import type { BlockDelta } from '../../messages/events.ts'
import type { ContentBlock } from '../../messages/request.ts'
import { JsonEnd } from './json-end.ts'

/** A block of the reply while it grows. What has come is kept until it may be sent: its turn in the queue comes later. */
export interface Segment {
  readonly type: 'text' | 'thinking' | 'tool'
  /** Whether nothing can follow: another block may begin. */
  readonly isComplete: boolean
  /** The start of its block; `undefined` while it is not known. */
  start(): ContentBlock | undefined
  /** What has come since the last time. */
  take(): readonly BlockDelta[]
  /** What the block ends with. */
  end(): readonly BlockDelta[]
}

export class TextSegment implements Segment {
  readonly type = 'text'
  isComplete = false
  #text = ''

  push(text: string): void {
    this.#text += text
  }

  start(): ContentBlock {
    return { type: 'text', text: '' }
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
  #id: string | undefined
  #name: string | undefined
  #arguments = ''
  #isFinished = false

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
    const text = this.#all.join('').trim()
    const value = text === '' ? {} : parseJson(text)
    return typeof value !== 'object' || value === null || Array.isArray(value)
  }

  push({ id, name, json }: ToolPiece): void {
    this.#id ??= id
    this.#name ??= name
    if (!json || this.#end.hasEnded) return
    this.#end.push(json)
    this.#arguments += json
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
    const partial_json = this.#arguments
    this.#arguments = ''
    return partial_json === '' ? [] : [{ type: 'input_json_delta', partial_json }]
  }

  end(): readonly BlockDelta[] {
    return []
  }
}
