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
import type { Thought } from '../thought.ts'
import { type BegunItem, isEnd, kindOfPiece, type OutputItem, type ResponseEvent, type ResponseState } from './event.ts'
import { ThoughtSegment } from './thought-segment.ts'
import { toCounts } from './usage.ts'

export interface ResponseParserOptions {
  readonly sign: (thought: Thought) => string
  /** Whether the caller wants to see thoughts. */
  readonly wantsThoughts: boolean
  /** The caller's name of a tool. */
  readonly toolName: (name: string) => string
  readonly calls: CallIds
  /** The tools that the model may call, by the provider's names. */
  readonly offered: Offered
  /** Whether the caller gets thoughts without their words. */
  readonly omitsThoughts: boolean
  /** Whether the caller waits for the whole reply. */
  readonly waits: boolean
  readonly stopSequences: readonly string[]
  /** Called when a message says which phase of the work it belongs to. */
  readonly onPhase: () => void
  readonly note: (message: string) => void
}

const textPiece = 'response.output_text.delta'

type AnySegment = TextSegment | ThoughtSegment | ToolSegment

/** Turns the events of a response into the blocks of a message: one block for each item of its output. */
export class ResponseParser implements WireParser<ResponseEvent> {
  readonly #options: ResponseParserOptions
  readonly #queue = new BlockQueue<AnySegment>()
  /** By the place of the item in the output. */
  readonly #segments = new Map<number, AnySegment>()
  /** The places of items, by their ids and those of their calls. */
  readonly #places = new Map<string, number>()
  /** The places whose items have said an id. */
  readonly #named = new Set<number>()
  /** The places whose content came in pieces. */
  readonly #streamed = new Set<number>()
  readonly #tools = new Set<ToolSegment>()
  readonly #stops: StopSequences
  readonly #written: WrittenText
  /** Where the model is writing. */
  #writing: TextSegment | undefined
  /** A thought between tags, in a text. */
  #tagged: ThoughtSegment | undefined
  /** The places whose items are whole. */
  readonly #finished = new Set<number>()
  /** The latest one, if its item has not been sent: it ends where another begins. */
  #implied: TextSegment | ThoughtSegment | undefined
  #latest = 0
  #highest = -1
  #hasRefused = false
  #state: ResponseState | undefined
  /** The length of all that the model wrote, in characters. */
  #length = 0
  hasContent = false

  constructor(options: ResponseParserOptions) {
    this.#options = options
    this.#stops = new StopSequences(options.stopSequences)
    this.#written = new WrittenText(options)
  }

  get isFinished(): boolean {
    return this.#state !== undefined
  }

  /** The last event has the usage too. */
  get isOver(): boolean {
    return this.isFinished || this.stopSequence !== undefined
  }

  get stopSequence(): string | undefined {
    return this.#stops.found
  }

  get stopReason(): StopReason {
    if (this.stopSequence !== undefined) return 'stop_sequence'
    if (this.#state?.status === 'incomplete') {
      const end = endOf(this.#state.incomplete_details?.reason ?? '')
      return end === undefined || end === 'by itself' || end === 'failure' ? 'max_tokens' : end
    }
    if (this.#tools.values().some(({ name }) => name !== undefined)) return 'tool_use'
    return this.#hasRefused ? 'refusal' : 'end_turn'
  }

  counts(estimatedInput: number): TokenCounts {
    return toCounts(this.#state?.usage ?? undefined, { input: estimatedInput, output: estimateTokens(this.#length) })
  }

  *read(event: ResponseEvent): Generator<MessagesEvent, void, undefined> {
    const { type, delta, item, response } = event
    const { output_index: told } = event
    const index = told == null || this.#isTaken(told, event) ? this.#placeOf(event) : told
    if (item) {
      if (type === 'response.output_item.added') this.#begin(index, item)
      else if (type === 'response.output_item.done') this.#finish(index, item)
    } else if (delta) this.#grow(index, event, delta)
    else if (type === 'response.output_text.done') this.#writeWhole(index, event)
    else if (event.arguments) this.#complete(this.#segments.get(index), event.arguments)
    else if (response && isEnd(type)) this.#conclude(type, response)
    yield* this.#queue.take()
  }

  *end(): Generator<MessagesEvent, void, undefined> {
    this.#releaseText()
    for (const segment of this.#queue.waiting) if (!(segment instanceof ToolSegment)) segment.isComplete = true
    for (const tool of this.#tools) {
      tool.finish(() => this.#options.calls.toCaller())
      checkCall(tool, this.stopReason, this.#options.note)
    }
    yield* this.#queue.take()
  }

  /** Whether the place of an event is that of another item, which is whole: some servers have one place for all. */
  #isTaken(place: number, { item, item_id }: ResponseEvent): boolean {
    const id = item?.id ?? item_id
    const isWhole = this.#finished.has(place) || this.#segments.get(place)?.isComplete === true
    return id != null && isWhole && this.#knownPlace(id, item?.call_id) !== place
  }

  /** The place of an item in an event that does not say it. */
  #placeOf({ type, item, item_id }: ResponseEvent): number {
    const known = this.#knownPlace(item?.id ?? item_id, item?.call_id)
    if (known !== undefined) return known
    if (!item) return this.#latest
    const isOpen =
      type === 'response.output_item.done' && this.#segments.has(this.#latest) && !this.#named.has(this.#latest)
    return isOpen ? this.#latest : this.#highest + 1
  }

  #knownPlace(...ids: readonly (string | null | undefined)[]): number | undefined {
    return ids.map((id) => (id ? this.#places.get(id) : undefined)).find((place) => place !== undefined)
  }

  #begin(index: number, item: BegunItem): AnySegment | undefined {
    this.#latest = index
    const known = this.#segments.get(index)
    if (known) return known
    const segment = this.#segmentFor(item)
    if (!segment) return undefined
    this.#releaseText(segment instanceof ToolSegment)
    if (this.#implied) this.#implied.isComplete = true
    this.#implied = undefined
    this.#segments.set(index, segment)
    this.#highest = Math.max(this.#highest, index)
    for (const id of [item.id, item.call_id]) if (id) this.#places.set(id, index)
    if (item.id || item.call_id) this.#named.add(index)
    this.#queue.push(segment)
    if (segment instanceof ToolSegment) {
      this.#tools.add(segment)
      this.hasContent = true
      this.#identify(segment, item)
    }
    return segment
  }

  #segmentFor({ type }: BegunItem): AnySegment | undefined {
    if (type === 'message') return new TextSegment()
    if (type === 'function_call') return new ToolSegment()
    return type === 'reasoning' && this.#options.wantsThoughts ? this.#newThought() : undefined
  }

  #grow(given: number, event: ResponseEvent, delta: string): void {
    const { type, summary_index } = event
    const index = this.#placeOfPiece(given, event)
    const segment = this.#segments.get(index)
    if (!segment) return
    this.hasContent = true
    this.#streamed.add(index)
    this.#length += delta.length
    if (segment instanceof ToolSegment) {
      if (type === 'response.function_call_arguments.delta')
        segment.push({ id: undefined, name: undefined, json: delta })
    } else if (segment instanceof ThoughtSegment) {
      if (type === 'response.reasoning_summary_text.delta') segment.pushSummary(delta, summary_index ?? 0)
      else if (type === 'response.reasoning_text.delta') segment.pushRaw(delta)
    } else if (kindOfPiece(type)?.segment === 'text') {
      this.#hasRefused ||= type === 'response.refusal.delta'
      this.#write(segment, delta, type === 'response.refusal.delta')
    }
  }

  /** A text that did not come in pieces. */
  #writeWhole(index: number, event: ResponseEvent): void {
    if (event.text && !this.#streamed.has(index)) this.#grow(index, { ...event, type: textPiece }, event.text)
  }

  /** Where a piece belongs. Some servers send texts and thoughts without the item that they belong to: it begins with them. */
  #placeOfPiece(index: number, { type, output_index, item_id }: ResponseEvent): number {
    const kind = kindOfPiece(type)
    const known = this.#segments.get(index)
    if (!kind || known?.type === kind.segment || (known && output_index != null)) return index
    const place = known ? this.#highest + 1 : index
    const segment = this.#begin(place, { type: kind.item, id: item_id })
    this.#implied = segment instanceof ToolSegment ? undefined : segment
    return place
  }

  /** The item as a whole: what has not come in pieces is taken from it. */
  #finish(index: number, item: OutputItem): void {
    const segment = this.#begin(index, item)
    if (item.phase) this.#options.onPhase()
    if (!segment || segment.isComplete || this.#finished.has(index)) return
    this.#finished.add(index)
    this.hasContent = true
    const isNew = !this.#streamed.has(index)
    if (segment instanceof ToolSegment) {
      this.#identify(segment, item)
      this.#complete(segment, item.arguments ?? '')
      segment.finish(() => this.#options.calls.toCaller())
      return
    }
    if (segment instanceof ThoughtSegment) {
      segment.identify(item.id, item.encrypted_content)
      for (const [place, { text }] of (isNew ? (item.summary ?? []) : []).entries())
        segment.pushSummary(text ?? '', place)
      if (isNew && !item.summary?.length) for (const { text } of item.content ?? []) segment.pushRaw(text ?? '')
    } else {
      this.#hasRefused ||= item.content?.some(({ refusal }) => refusal) ?? false
      for (const { text, refusal } of isNew ? (item.content ?? []) : [])
        this.#write(segment, text || refusal || '', !text)
      // What is held back may be a call, or the text of one that follows.
      if (this.#written.isHolding) return
      this.#releaseText()
    }
    segment.isComplete = true
  }

  #conclude(type: string, response: ResponseState): void {
    /** The places that items of this output have taken. */
    const taken = new Set<number>()
    for (const [index, item] of (response.output ?? []).entries()) {
      if (!item) continue
      const there = this.#segments.get(index)
      const isOther = taken.has(index) || (there && there.type !== this.#segmentFor(item)?.type)
      const place = this.#knownPlace(item.id, item.call_id) ?? (isOther ? this.#highest + 1 : index)
      taken.add(place)
      this.#finish(place, item)
    }
    this.#state = { ...response, status: type === 'response.incomplete' ? 'incomplete' : 'completed' }
  }

  /** What has come of the arguments may be a part of them. */
  #complete(segment: AnySegment | undefined, json: string): void {
    if (!(segment instanceof ToolSegment) || !json.startsWith(segment.json)) return
    segment.push({ id: undefined, name: undefined, json: json.slice(segment.json.length) })
  }

  #write(segment: TextSegment, text: string, isRefusal: boolean): void {
    if (segment !== this.#writing && !segment.isComplete) {
      this.#releaseText()
      this.#writing = segment
    }
    const { thought, text: said } = isRefusal ? { thought: '', text } : this.#written.push(text)
    this.#writeThought(thought)
    this.#say(said)
  }

  #say(text: string): void {
    this.#put(text === '' ? '' : this.#stops.push(text))
  }

  #put(text: string): void {
    if (text === '') return
    if (this.#tagged) this.#tagged.isComplete = true
    this.#tagged = undefined
    if (!this.#writing) {
      this.#writing = new TextSegment()
      this.#queue.push(this.#writing)
    }
    this.#writing.push(text)
  }

  /** A thought that stands in the text, between tags. */
  #writeThought(thought: string): void {
    if (thought === '') return
    if (!this.#tagged) {
      this.#endText()
      this.#tagged = this.#newThought()
      this.#queue.push(this.#tagged)
    }
    this.#tagged.pushSummary(thought, 0)
  }

  #newThought(): ThoughtSegment {
    return new ThoughtSegment(this.#options.sign, this.#options.omitsThoughts)
  }

  #endText(): void {
    if (this.#writing) this.#writing.isComplete = true
    this.#writing = undefined
  }

  /** Flushes text that was held back: a new item has started. A real call makes a text of all that look like calls. */
  #releaseText(isCalled = false): void {
    if (!this.#writing && !this.#tagged) return
    if (isCalled) {
      const { thought, text } = this.#written.release()
      this.#writeThought(thought)
      this.#say(text)
    } else {
      const { thought, pieces } = this.#written.end()
      this.#writeThought(thought)
      for (const piece of pieces) this.#sayOrCall(piece)
    }
    this.#put(this.#stops.end())
    if (this.#tagged) this.#tagged.isComplete = true
    this.#tagged = undefined
    this.#endText()
  }

  #sayOrCall(written: Written): void {
    if (typeof written === 'string') {
      this.#say(written)
      return
    }
    this.#options.note(`The model wrote its call of ${written.name} as text.`)
    this.#endText()
    const segment = new ToolSegment()
    const id = this.#options.calls.toCaller()
    segment.push({ id, name: this.#options.toolName(written.name), json: JSON.stringify(written.input) })
    this.#queue.push(segment)
    this.#tools.add(segment)
  }

  #identify(segment: ToolSegment, { call_id, name }: BegunItem): void {
    const id = call_id && segment.id === undefined ? this.#options.calls.toCaller(call_id) : undefined
    segment.push({ id, name: name ? this.#options.toolName(name) : undefined, json: '' })
  }
}
