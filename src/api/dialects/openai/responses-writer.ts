import type { ResearchStep } from '../../../domain/research-step.ts'
import type { Citation, SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { Frame, Reply } from '../../dialect.ts'
import { HeldText } from '../../serve/model-refusal.ts'
import { thoughtOf } from '../shared/research.ts'
import { NumberedEvents } from '../shared/responses/format.ts'
import type { ResponsesInput } from './responses-input.ts'
import { type Done, formatResponse, isJson, type ResponseState, statusOf } from './responses-object.ts'
import { callItem, kindsOf } from './responses-tools.ts'

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }

/** What a model thought, as a summary, and what only csp reads of it. */
interface Thought {
  readonly type: 'thought'
  readonly text: string
  readonly sealed: string
}

/** What a response is written from. */
export type WrittenEvent = SearchEvent | Thought

/**
 * Writes an OpenAI response, event by event. `response` holds it so far; `add` returns the stream events of each step.
 */
export class ResponseWriter {
  readonly #reply: Reply<ResponsesInput>
  readonly #events = new NumberedEvents()
  /** By output index. */
  readonly #items: Item[] = []
  readonly #searches = new Map<string, { readonly index: number; readonly query: string }>()
  readonly #calls = new Map<string, { readonly index: number; readonly name: string; text: string }>()
  #message: { readonly index: number; text: string; readonly annotations: unknown[] } | undefined
  readonly #held: HeldText
  #done: Done | undefined
  readonly #kinds: ReturnType<typeof kindsOf>

  readonly #itemIds: string

  /** `itemIds`: what the ids of items have in common; that of the reply by default. */
  constructor(reply: Reply<ResponsesInput>, itemIds = reply.id) {
    this.#reply = reply
    this.#itemIds = itemIds
    this.#kinds = kindsOf(reply.input)
    this.#held = new HeldText(isJson(reply.input))
  }

  begin(): readonly Frame[] {
    return this.#events.begin(this.response)
  }

  add(event: WrittenEvent): readonly Frame[] {
    if (event.type === 'thought') return this.#addThought(event.text, event.sealed)
    return this.#held.pass(event).flatMap((passed) => this.#write(passed))
  }

  #write(event: SearchEvent): readonly Frame[] {
    switch (event.type) {
      case 'cache':
      case 'reading':
      case 'backend':
        return []
      case 'research':
        return this.#addStep(event.step)
      case 'search-start':
        return this.#startSearch(event.id, event.query)
      case 'search-results':
        return this.#endSearch(event.id, event.results)
      case 'text-delta':
        return event.text ? this.#addText(event.text) : []
      case 'citation':
        return this.#addCitation(event.citation)
      case 'tool-call-start':
        return this.#startCall(event.id, event.name)
      case 'tool-call-delta':
        return this.#addArguments(event.id, event.arguments)
      case 'done':
        return this.#end(event)
    }
  }

  /** Its items so far. */
  get output(): readonly Item[] {
    return this.#items
  }

  /** The response so far. */
  get response(): unknown {
    return this.responseAs()
  }

  /** The same in another state than in progress, until it is done. */
  responseAs(state?: ResponseState): unknown {
    return formatResponse(this.#reply, [...this.#items], this.#done, state)
  }

  /** An event of the response as a whole. */
  stateEvent(type: string, state: ResponseState): Frame {
    return this.#events.event(type, { response: this.responseAs(state) })
  }

  #startSearch(id: string, query: string): readonly Frame[] {
    const call = { type: 'web_search_call', status: 'in_progress', action: searchAction(query) }
    const index = this.#push({ id: this.#newId('ws'), ...call })
    this.#searches.set(id, { index, query })
    return [
      this.#itemEvent('added', index),
      this.#partEvent('response.web_search_call.in_progress', index),
      this.#partEvent('response.web_search_call.searching', index),
    ]
  }

  #endSearch(id: string, results: readonly SearchResult[]): readonly Frame[] {
    const search = this.#searches.get(id)
    if (!search) return []
    const { index, query } = search
    const wanted = this.#reply.input.include?.includes('web_search_call.action.sources')
    const sources = wanted ? { sources: results.map(({ url }) => ({ type: 'url', url })) } : undefined
    this.#change(index, { status: 'completed', action: { ...searchAction(query), ...sources } })
    return [this.#partEvent('response.web_search_call.completed', index), this.#itemEvent('done', index)]
  }

  /** Notes of a research become reasoning summaries; its pages become `open_page` calls. */
  #addStep(step: ResearchStep): readonly Frame[] {
    if (step.kind === 'page') return this.#addPage(step.url)
    return this.#addThought(thoughtOf(step) ?? '')
  }

  /** `sealed` goes to those who want to send it back. */
  #addThought(text: string, sealed?: string): readonly Frame[] {
    const isWanted = this.#reply.input.include?.includes('reasoning.encrypted_content')
    if (!isWanted && !text) return []
    const encrypted = isWanted && sealed ? { encrypted_content: sealed } : {}
    const index = this.#push({ id: this.#newId('rs'), type: 'reasoning', summary: [], ...encrypted })
    if (!text) return [this.#itemEvent('added', index), this.#itemEvent('done', index)]
    const place = { summary_index: 0 }
    const added = [
      this.#itemEvent('added', index),
      this.#partEvent('response.reasoning_summary_part.added', index, { ...place, part: summaryPart('') }),
      this.#partEvent('response.reasoning_summary_text.delta', index, { ...place, delta: text }),
      this.#partEvent('response.reasoning_summary_text.done', index, { ...place, text }),
      this.#partEvent('response.reasoning_summary_part.done', index, { ...place, part: summaryPart(text) }),
    ]
    this.#change(index, { summary: [summaryPart(text)] })
    return [...added, this.#itemEvent('done', index)]
  }

  #addPage(url: string): readonly Frame[] {
    const call = { type: 'web_search_call', status: 'in_progress', action: { type: 'open_page', url } }
    const index = this.#push({ id: this.#newId('ws'), ...call })
    const added = [this.#itemEvent('added', index), this.#partEvent('response.web_search_call.in_progress', index)]
    this.#change(index, { status: 'completed' })
    return [...added, this.#partEvent('response.web_search_call.completed', index), this.#itemEvent('done', index)]
  }

  #addText(delta: string): readonly Frame[] {
    const opening: Frame[] = []
    if (!this.#message) {
      const item = { id: this.#newId('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] }
      this.#message = { index: this.#push(item), text: '', annotations: [] }
      const { index } = this.#message
      const part = textPart('', [])
      opening.push(
        this.#itemEvent('added', index),
        this.#partEvent('response.content_part.added', index, { ...first, part }),
      )
    }
    this.#message.text += delta
    const { index } = this.#message
    return [...opening, this.#partEvent('response.output_text.delta', index, { ...first, delta, logprobs: [] })]
  }

  #addCitation({ start, end, url, title }: Citation): readonly Frame[] {
    if (!this.#message) return []
    const { index, annotations } = this.#message
    const annotation = { type: 'url_citation', start_index: start, end_index: end, url, title }
    const place = { ...first, annotation_index: annotations.length, annotation }
    annotations.push(annotation)
    return [this.#partEvent('response.output_text.annotation.added', index, place)]
  }

  /** Without parallel calls only the first is sent; the model makes the others again after its result. */
  #startCall(id: string, name: string): readonly Frame[] {
    if (this.#reply.input.parallel_tool_calls === false && this.#calls.size > 0) return []
    const call = callItem(this.#kinds.get(name), { id, name, arguments: '' })
    const index = this.#push({ id: this.#newId(idPrefixes[call.type]), status: 'in_progress', ...call })
    this.#calls.set(id, { index, name, text: '' })
    return [this.#itemEvent('added', index)]
  }

  #addArguments(id: string, delta: string): readonly Frame[] {
    const call = this.#calls.get(id)
    if (!call) return []
    call.text += delta
    // What is to become one text is known when it is whole.
    if (this.#items[call.index]?.type !== 'function_call') return []
    return [this.#partEvent('response.function_call_arguments.delta', call.index, { delta })]
  }

  #end(done: Done): readonly Frame[] {
    const status = statusOf(done, this.#reply.input)
    const refused = this.#held.refusal === undefined ? [] : this.#refuse(this.#held.refusal)
    const closing = [...refused, ...this.#endMessage(status), ...this.#endCalls()]
    this.#done = done
    return [...closing, this.#events.event(`response.${status}`, { response: this.response })]
  }

  /** A message of its own, since the text of one that has to fit a schema comes as a whole. */
  #refuse(refusal: string): readonly Frame[] {
    const item = { id: this.#newId('msg'), type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    const index = this.#push(item)
    const part = refusalPart(refusal)
    const begun = [
      this.#itemEvent('added', index),
      this.#partEvent('response.content_part.added', index, { ...first, part: refusalPart('') }),
      this.#partEvent('response.refusal.delta', index, { ...first, delta: refusal }),
      this.#partEvent('response.refusal.done', index, { ...first, refusal }),
      this.#partEvent('response.content_part.done', index, { ...first, part }),
    ]
    this.#change(index, { status: 'completed', content: [part] })
    return [...begun, this.#itemEvent('done', index)]
  }

  #endMessage(status: string): readonly Frame[] {
    if (!this.#message) return []
    const { index, text, annotations } = this.#message
    const part = textPart(text, annotations)
    this.#change(index, { status, content: [part] })
    return [
      this.#partEvent('response.output_text.done', index, { ...first, text, logprobs: [] }),
      this.#partEvent('response.content_part.done', index, { ...first, part }),
      this.#itemEvent('done', index),
    ]
  }

  #endCalls(): readonly Frame[] {
    return [...this.#calls].flatMap(([id, { index, name, text }]) => {
      // The model may send no arguments for a function without parameters, but clients parse them as JSON.
      const call = callItem(this.#kinds.get(name), { id, name, arguments: text || '{}' })
      this.#change(index, { status: 'completed', ...call })
      return [...this.#lastParts(index, call), this.#itemEvent('done', index)]
    })
  }

  #lastParts(index: number, call: ReturnType<typeof callItem>): readonly Frame[] {
    if (call.type === 'function_call') {
      return [this.#partEvent('response.function_call_arguments.done', index, { arguments: call.arguments })]
    }
    if (call.type !== 'custom_tool_call') return []
    const { input } = call
    return [
      this.#partEvent('response.custom_tool_call_input.delta', index, { delta: input }),
      this.#partEvent('response.custom_tool_call_input.done', index, { input }),
    ]
  }

  #newId(prefix: string): string {
    return `${prefix}_${this.#itemIds}_${this.#items.length}`
  }

  /** Returns its output index. */
  #push(item: Item): number {
    return this.#items.push(item) - 1
  }

  #change(index: number, fields: object): void {
    const item = this.#items[index]
    if (item) this.#items[index] = { ...item, ...fields }
  }

  #itemEvent(step: 'added' | 'done', index: number): Frame {
    return this.#events.event(`response.output_item.${step}`, { output_index: index, item: this.#items[index] })
  }

  #partEvent(type: string, index: number, fields: object = {}): Frame {
    return this.#events.event(type, { item_id: this.#items[index]?.id, output_index: index, ...fields })
  }
}

const idPrefixes = { function_call: 'fc', custom_tool_call: 'ctc', tool_search_call: 'tsc' } as const

/** Each message has one part. */
const first = { content_index: 0 }

function searchAction(query: string) {
  return { type: 'search', query, queries: [query] }
}

function summaryPart(text: string) {
  return { type: 'summary_text', text }
}

function refusalPart(refusal: string) {
  return { type: 'refusal', refusal }
}

function textPart(text: string, annotations: readonly unknown[]) {
  return { type: 'output_text', text, annotations, logprobs: [] }
}
