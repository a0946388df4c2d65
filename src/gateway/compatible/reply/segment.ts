import { parseJson } from '../../../lib/json.ts'
import type { BlockDelta } from '../../messages/events.ts'
import type { ContentBlock } from '../../messages/request.ts'
import type { Thought } from '../request/options.ts'
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

/** A thought, with what the provider wants back of it. */
export class ThinkingSegment implements Segment {
  readonly type = 'thinking'
  isComplete = false
  readonly #sign: (thought: Thought, thinking: string) => string
  readonly #details: Record<string, unknown>[] = []
  readonly #all: string[] = []
  readonly #calls = new Map<string, unknown>()
  #field: 'reasoning' | 'reasoning_content' = 'reasoning'
  #text = ''

  constructor(sign: (thought: Thought, thinking: string) => string) {
    this.#sign = sign
  }

  push(text: string, field: 'reasoning' | 'reasoning_content'): void {
    this.#field = field
    this.#text += text
    this.#all.push(text)
  }

  /** Pieces of one detail come one after another and are joined: providers want it back whole. */
  keep(detail: Readonly<Record<string, unknown>>): void {
    const last = this.#details.at(-1)
    if (!last || !isContinued(last, detail)) {
      this.#details.push({ ...detail })
      return
    }
    for (const [name, value] of Object.entries(detail)) {
      const before = last[name]
      const isJoined = joined.includes(name) && typeof before === 'string' && typeof value === 'string'
      if (isJoined) last[name] = before + value
      else if (value !== null && value !== undefined) last[name] = value
    }
  }

  /** Keeps what belongs to a call that follows: its own block has no place for it. */
  keepForCall(id: string, extra: unknown): void {
    this.#calls.set(id, extra)
  }

  start(): ContentBlock {
    return { type: 'thinking', thinking: '', signature: '' }
  }

  take(): readonly BlockDelta[] {
    const thinking = this.#text
    this.#text = ''
    return thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]
  }

  end(): readonly BlockDelta[] {
    const thinking = this.#all.join('')
    const calls = this.#calls.size > 0 ? Object.fromEntries(this.#calls) : undefined
    const thought: Thought =
      this.#details.length > 0
        ? { field: 'reasoning_details', details: this.#details, calls }
        : { field: this.#field, text: thinking, calls }
    return [{ type: 'signature_delta', signature: this.#sign(thought, thinking) }]
  }
}

const joined = ['text', 'summary', 'data']

/** Whether a detail is the next piece of another one. */
function isContinued(last: Readonly<Record<string, unknown>>, next: Readonly<Record<string, unknown>>): boolean {
  if (last['type'] !== next['type'] || last['index'] !== next['index']) return false
  const isOther = (name: string): boolean => last[name] != null && next[name] != null && last[name] !== next[name]
  return !isOther('id') && !isOther('format')
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
