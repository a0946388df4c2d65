import { StopSequences } from '@csp/lib/stop-sequences'
import { estimateTokens } from '@csp/messages-api/estimate'
import type { MessagesEvent, StopReason } from '@csp/messages-api/events'
import { endOf } from '../../catalogue/ends.ts'
import type { CallIds } from '../../translation/call-ids.ts'
import { BlockQueue } from '../../translation/reply/block-queue.ts'
import { checkCall, TextSegment, ToolSegment } from '../../translation/reply/segment.ts'
import type { TokenCounts } from '../../translation/reply/token-counts.ts'
import type { Offered } from '../../translation/reply/written-calls/read-form.ts'
import type { Written } from '../../translation/reply/written-calls/written-calls.ts'
import { WrittenText } from '../../translation/reply/written-text.ts'
import type { WireParser } from '../../translation/wire.ts'
import type { Thought } from '../request/options.ts'
import { type ChatChunk, type ChatDelta, type ChatUsage, choiceIn, type ToolCallDelta } from './chunk.ts'
import { ThinkingSegment } from './thinking-segment.ts'
import { toCounts } from './usage.ts'

export interface ReplyParserOptions {
  readonly sign: (thought: Thought, thinking: string) => string
  /** The caller's name of a tool. */
  readonly toolName: (name: string) => string
  readonly calls: CallIds
  /** The tools that the model may call, by the provider's names. */
  readonly offered: Offered
  /** Those that the provider was not told. */
  readonly stopSequences: readonly string[]
  /** Whether the provider was told it. */
  readonly isToldStop: (sequence: string) => boolean
  readonly wantsThoughts: boolean
  /** Whether the caller gets thoughts without their words. */
  readonly omitsThoughts: boolean
  /** Whether the caller waits for the whole reply. */
  readonly waits: boolean
  readonly note: (message: string) => void
}

interface Call {
  readonly segment: ToolSegment
  /** The provider's, which may be one that was used before. */
  readonly id: string | undefined
  /** The provider's, as much of it as has come. */
  readonly name: string | undefined
}

/** Turns the chunks of a provider's reply into the blocks of a message. */
export class ReplyParser implements WireParser<ChatChunk> {
  readonly #options: ReplyParserOptions
  readonly #queue = new BlockQueue<TextSegment | ThinkingSegment | ToolSegment>()
  /** The latest call at each index. */
  readonly #calls = new Map<number, Call>()
  readonly #tools: ToolSegment[] = []
  readonly #stops: StopSequences
  readonly #written: WrittenText
  /** The one at which the provider says that it has ended. */
  #toldStop: string | undefined
  #hasRefused = false
  #hasContent = false
  /** Why the provider's reply ended; `undefined` until it says so. */
  #finishReason: string | undefined
  #usage: ChatUsage | undefined
  /** The length of all that the model wrote, in characters. */
  #length = 0

  constructor(options: ReplyParserOptions) {
    this.#options = options
    this.#stops = new StopSequences(options.stopSequences)
    this.#written = new WrittenText(options)
  }

  get isFinished(): boolean {
    return this.#finishReason !== undefined
  }

  get isOver(): boolean {
    return this.#stops.found !== undefined
  }

  counts(estimatedInput: number): TokenCounts {
    return toCounts(this.#usage, { input: estimatedInput, output: estimateTokens(this.#length) })
  }

  /** The stop sequence at which the reply ends: nothing that comes is part of it. */
  get stopSequence(): string | undefined {
    return this.#stops.found ?? this.#toldStop
  }

  get hasContent(): boolean {
    return this.#hasContent
  }

  *read(chunk: ChatChunk): Generator<MessagesEvent, void, undefined> {
    const { usage } = chunk
    if (usage) this.#usage = usage
    const choice = choiceIn(chunk)
    const delta = choice?.delta ?? choice?.message
    if (delta) {
      this.#readThought(delta)
      this.#readText(delta)
      if (!this.isOver) for (const call of callsIn(delta)) this.#readCall(call)
    }
    if (choice?.finish_reason) this.#finishReason = choice.finish_reason
    if (choice?.stop_reason && this.#options.isToldStop(choice.stop_reason)) this.#toldStop = choice.stop_reason
    yield* this.#queue.take()
  }

  *end(): Generator<MessagesEvent, void, undefined> {
    this.#releaseText()
    this.#completeText()
    for (const call of this.#calls.values()) this.#nameCall(call)
    for (const tool of this.#tools) {
      tool.finish(() => this.#options.calls.toCaller())
      checkCall(tool, this.stopReason, this.#options.note)
    }
    yield* this.#queue.take()
  }

  get stopReason(): StopReason {
    if (this.stopSequence !== undefined) return 'stop_sequence'
    const calls = this.#tools.some(({ name }) => name !== undefined)
    const end = this.#finishReason === undefined ? undefined : endOf(this.#finishReason)
    if (end !== undefined && end !== 'by itself' && end !== 'failure') return end
    if (calls) return 'tool_use'
    return this.#hasRefused ? 'refusal' : 'end_turn'
  }

  #readThought({ reasoning_details, reasoning_content, content, ...delta }: ChatDelta): void {
    const reasoning = delta.reasoning || delta.reasoning_text || delta.thinking
    const details = reasoning_details ?? []
    // One chunk often has a thought in two forms. The richer one counts.
    const detailed = details.map(({ text, summary }) => wordsOf(text) || wordsOf(summary)).join('')
    const text = detailed || reasoning_content || reasoning || partsText(content, 'thinking')
    if (!text && details.length === 0) return
    this.#releaseText()
    const segment = this.#thinking()
    for (const detail of details) segment.keep(detail)
    this.#count(text)
    segment.push(text, reasoning_content ? 'reasoning_content' : 'reasoning')
  }

  #readText({ content, refusal }: ChatDelta): void {
    const given = typeof content === 'string' ? content : partsText(content, 'text')
    if (refusal) this.#hasRefused = true
    if (given === '' && !refusal) return
    this.#count(given + (refusal ?? ''))
    const { thought, text } = this.#written.push(given)
    this.#writeThought(thought)
    this.#write(text + (refusal ?? ''))
  }

  #writeThought(thought: string): void {
    if (thought !== '') this.#thinking().push(thought, 'content')
  }

  #write(text: string): void {
    const passed = text === '' ? '' : this.#stops.push(text)
    if (passed !== '') this.#text().push(passed)
  }

  /** Flushes text that was held back: a new block has started. A real call makes a text of all that look like calls. */
  #releaseText(isCalled = false): void {
    if (isCalled) {
      const { thought, text } = this.#written.release()
      this.#writeThought(thought)
      this.#write(text)
    } else {
      const { thought, pieces } = this.#written.end()
      this.#writeThought(thought)
      for (const one of pieces) this.#writeOrCall(one)
    }
    const held = this.#stops.end()
    if (held !== '') this.#text().push(held)
  }

  #writeOrCall(written: Written): void {
    if (typeof written === 'string') {
      this.#write(written)
      return
    }
    this.#options.note(`The model wrote its call of ${written.name} as text.`)
    const id = this.#options.calls.toCaller()
    const name = this.#options.toolName(written.name)
    this.#beginCall().push({ id, name, json: JSON.stringify(written.input) })
  }

  #beginCall(): ToolSegment {
    const segment = new ToolSegment()
    this.#completeText()
    this.#queue.push(segment)
    this.#tools.push(segment)
    return segment
  }

  #readCall({ index, id: givenId, function: called, extra_content: extra }: ToolCallDelta): void {
    const id = givenId || undefined
    const name = called?.name || undefined
    const given = called?.arguments
    const json = typeof given === 'string' ? given : given ? JSON.stringify(given) : ''
    const place = index ?? 0
    const current = this.#calls.get(place)
    this.#count(json)
    const joined = current && joinedName(current, { id, name }, this.#options.offered)
    if (!current || (joined === undefined && beginsAnother(current, { id, name, json }))) {
      if (current) this.#nameCall(current)
      this.#releaseText(true)
      const ownId = id && this.#options.calls.toCaller(id)
      if (extra && ownId !== undefined) this.#thinking().keepForCall(ownId, extra)
      const segment = this.#beginCall()
      this.#grow({ segment, id, name }, place, ownId, json)
    } else {
      const { segment } = current
      const own = id && segment.id === undefined ? this.#options.calls.toCaller(id) : undefined
      const call = { segment, id: current.id ?? id, name: joined ?? current.name ?? name }
      this.#grow(call, place, own, newIn(json, segment.json))
    }
  }

  #grow(call: Call, place: number, id: string | undefined, json: string): void {
    this.#calls.set(place, call)
    const { segment, name } = call
    segment.push({ id, name: undefined, json })
    // Its next piece may go on with the name.
    const isOpen = segment.json === '' && isNamePart(name, this.#options.offered)
    if (!isOpen) this.#nameCall(call)
  }

  #nameCall({ segment, name }: Call): void {
    if (name !== undefined) segment.push({ id: undefined, name: this.#options.toolName(name), json: '' })
  }

  #thinking(): ThinkingSegment {
    const last = this.#queue.waiting.at(-1)
    if (last instanceof ThinkingSegment && !last.isComplete) return last
    this.#completeText()
    const segment = new ThinkingSegment(this.#options.sign, this.#options.omitsThoughts)
    this.#queue.push(segment)
    return segment
  }

  #text(): TextSegment {
    const last = this.#queue.waiting.at(-1)
    if (last instanceof TextSegment && !last.isComplete) return last
    this.#completeText()
    const segment = new TextSegment()
    this.#queue.push(segment)
    return segment
  }

  /** Another block begins: the texts before it are whole. */
  #completeText(): void {
    for (const segment of this.#queue.waiting) if (!(segment instanceof ToolSegment)) segment.isComplete = true
  }

  #count(text: string): void {
    this.#hasContent = true
    this.#length += text.length
  }
}

interface CallPiece {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly json: string
}

/** Whether a piece at the index of a call belongs to another call. Some providers give all calls one index, some no ids. */
function beginsAnother(call: Call, { id, name, json }: CallPiece): boolean {
  const { segment, id: currentId, name: currentName } = call
  if (id !== undefined && id === currentId) return isAnotherUnder(call, name, json)
  if (id !== undefined && currentId !== undefined) return true
  if (name === undefined || currentName === undefined) return false
  return name !== currentName || (segment.hasAllArguments && json !== '')
}

/** The name of a call with its next piece, where a tool has such a name, and none has the piece. */
function joinedName(call: Call, { id, name }: Omit<CallPiece, 'json'>, offered: Offered): string | undefined {
  const { segment, id: currentId, name: before } = call
  if (before === undefined || name === undefined || segment.json !== '' || offered.has(name)) return undefined
  if (id !== undefined && currentId !== undefined && id !== currentId) return undefined
  const joined = before + name
  return offered.has(joined) || isNamePart(joined, offered) ? joined : undefined
}

/** Whether the name of a tool goes on behind this one. */
function isNamePart(name: string | undefined, offered: Offered): boolean {
  return name !== undefined && offered.keys().some((each) => each.length > name.length && each.startsWith(name))
}

/** Whether a whole call follows under the id of the one before: some providers give it to all, some tell a call twice. */
function isAnotherUnder({ segment, name: current }: Call, name: string | undefined, json: string): boolean {
  if (name === undefined) return false
  const isWhole = json.trimStart().startsWith('{')
  if (name !== current) return isWhole || segment.hasAllArguments
  return isWhole && segment.hasAllArguments && json.trim() !== segment.json.trim()
}

/** Some servers tell all arguments again with each piece. No JSON goes on with its own beginning. */
function newIn(json: string, before: string): string {
  return before.startsWith('{') && json.startsWith(before) ? json.slice(before.length) : json
}

function callsIn({ tool_calls, function_call }: ChatDelta): readonly ToolCallDelta[] {
  if (tool_calls && tool_calls.length > 0) return tool_calls
  return function_call ? [{ index: 0, id: undefined, function: function_call, extra_content: undefined }] : []
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The words in parts of a type. A thought may have parts of its own. */
function partsText(content: ChatDelta['content'], type: 'text' | 'thinking'): string {
  if (!Array.isArray(content)) return ''
  const words = content.map((part) => (part.type === type ? (part[type] ?? '') : ''))
  return words
    .map((word) => (Array.isArray(word) ? word.map((inner) => wordsOf(inner?.text)).join('') : wordsOf(word)))
    .join('')
}
