import { AnswerFold, sourcesOf } from '../../../domain/answer.ts'
import type { ResearchStep } from '../../../domain/research-step.ts'
import type { Search, SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import { evidenceField } from '../shared/evidence.ts'
import { thoughtOf } from '../shared/research.ts'
import { NumberedEvents, numberedEvent, shortfallOf, writeStream, writeWhole } from '../shared/responses/format.ts'
import { type AgentInput, agentInput, agentModel, ignoredAgentFields, readAgent } from './agent-input.ts'
import { perplexityErrorFields } from './error.ts'

/** Perplexity's Agent API: the successor of Sonar. Nothing is stored. */
export const perplexityAgent: Dialect<AgentInput> = {
  kind: 'search',
  schema: agentInput,
  reference: {
    summary: 'Written answer with citations',
    example: { preset: 'low', input: 'How do heat pumps work in the cold?' },
  },
  parse: readAgent,
  model: agentModel,
  ignored: ignoredAgentFields,
  format: (answer, reply) => writeWhole(new AgentWriter(reply), answer),
  stream: {
    wanted: (input) => input.stream ?? false,
    format: (events, reply) => writeStream(new AgentWriter(reply), events),
    formatError(failure, _reply, framesSent) {
      return [numberedEvent('response.failed', { error: perplexityErrorFields(failure) }, framesSent)]
    },
  },
}

type Done = Extract<SearchEvent, { type: 'done' }>

/**
 * Writes a response of Perplexity's Agent API, event by event. `response` holds it so far; `add` returns the
 * stream events of each step.
 */
class AgentWriter {
  readonly #reply: Reply<AgentInput>
  readonly #events = new NumberedEvents()
  readonly #fold = new AnswerFold()
  readonly #output: unknown[] = []
  #message: { readonly index: number; readonly id: string; text: string } | undefined
  #done: Done | undefined
  #isReasoning = false

  constructor(reply: Reply<AgentInput>) {
    this.#reply = reply
  }

  begin(): readonly Frame[] {
    return this.#events.begin(this.response)
  }

  add(event: SearchEvent): readonly Frame[] {
    this.#fold.add(event)
    switch (event.type) {
      case 'search-start':
        return [this.#events.event('response.reasoning.search_queries', { queries: [event.query], thought: '' })]
      case 'search-results':
        return this.#addSearch(this.#fold.searches.find(({ id }) => id === event.id))
      case 'research':
        return this.#addStep(event.step)
      case 'text-delta':
        return event.text ? [...this.#stopReasoning(), ...this.#addText(event.text)] : []
      case 'done':
        return this.#end(event)
      default:
        return []
    }
  }

  /** The response so far. */
  get response(): unknown {
    const { id, createdAt, elapsedMs, input } = this.#reply
    const done = this.#done
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: Math.floor(createdAt.getTime() / 1000),
      ...(done && { completed_at: Math.floor((createdAt.getTime() + elapsedMs()) / 1000) }),
      status: done ? 'completed' : 'in_progress',
      background: false,
      error: null,
      incomplete_details: (done && shortfallOf(done.reason)) ?? null,
      instructions: input.instructions ?? null,
      model: input.model ?? input.models?.[0] ?? done?.model ?? defaultModel,
      output: [...this.#output],
      previous_response_id: null,
      store: false,
      tools: input.tools ?? [],
      ...(done && { usage: formatUsage(done), ...evidenceField(done) }),
    }
  }

  #addSearch(search: Search | undefined): readonly Frame[] {
    if (!search) return []
    const results = this.#rows(search)
    const item = { type: 'search_results', queries: [search.query], results }
    const index = this.#output.push(item) - 1
    return [
      this.#events.event('response.reasoning.search_results', { results, thought: '' }),
      this.#item('done', index),
    ]
  }

  /** The vendor has no event for a note, and its reasoning starts once. */
  #addStep(step: ResearchStep): readonly Frame[] {
    const frames = this.#isReasoning
      ? []
      : [this.#events.event('response.reasoning.started', { thought: thoughtOf(step) })]
    this.#isReasoning = true
    if (step.kind !== 'page') return frames
    const { url, title } = step
    return [
      ...frames,
      this.#events.event('response.reasoning.fetch_url_queries', { urls: [url], thought: '' }),
      this.#events.event('response.reasoning.fetch_url_results', {
        contents: [{ title, url, snippet: '' }],
        thought: '',
      }),
    ]
  }

  #stopReasoning(): readonly Frame[] {
    if (!this.#isReasoning || this.#message) return []
    return [this.#events.event('response.reasoning.stopped', { thought: '' })]
  }

  /** Numbered by their index among all sources, which the markers `[n]` in the text refer to. */
  #rows({ results }: Search): readonly unknown[] {
    const urls = sourcesOf(this.#fold.searches).map(({ url }) => url)
    return results.map((result) => formatRow(result, urls.indexOf(result.url) + 1))
  }

  #addText(delta: string): readonly Frame[] {
    const opening: Frame[] = []
    if (!this.#message) {
      const id = `msg_${this.#reply.id}`
      const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] }
      const index = this.#output.push(item) - 1
      this.#message = { index, id, text: '' }
      opening.push(this.#item('added', index))
    }
    this.#message.text += delta
    return [...opening, this.#text('delta', { delta })]
  }

  #end(done: Done): readonly Frame[] {
    const closing = [...this.#endMessage(), ...this.#addCalls()]
    this.#done = done
    return [...closing, this.#events.event('response.completed', { response: this.response })]
  }

  #endMessage(): readonly Frame[] {
    if (!this.#message) return []
    const { index, id, text } = this.#message
    const content = [{ type: 'output_text', text, annotations: [] }]
    this.#output[index] = { type: 'message', id, role: 'assistant', status: 'completed', content }
    return [this.#text('done', { text }), this.#item('done', index)]
  }

  /** The vendor does not stream arguments: each call comes whole. */
  #addCalls(): readonly Frame[] {
    const { toolCalls } = this.#fold.finish()
    const told = toolCalls.slice(0, this.#reply.input.parallel_tool_calls === false ? 1 : undefined)
    return told.flatMap(({ id, name, arguments: text }, place) => {
      const item = { type: 'function_call', id: `fc_${this.#reply.id}_${place}`, call_id: id, name }
      const index = this.#output.push({ ...item, arguments: text || '{}', status: 'completed' }) - 1
      return [this.#item('added', index), this.#item('done', index)]
    })
  }

  #item(step: 'added' | 'done', index: number): Frame {
    return this.#events.event(`response.output_item.${step}`, { output_index: index, item: this.#output[index] })
  }

  #text(step: 'delta' | 'done', fields: object): Frame {
    const place = { item_id: this.#message?.id, output_index: this.#message?.index, content_index: 0 }
    return this.#events.event(`response.output_text.${step}`, { ...place, ...fields })
  }
}

const defaultModel = 'sonar-pro'

/** Unknown fields are left out: the vendor's types have no null there. */
function formatRow({ title, url, snippet, publishedAt }: SearchResult, id: number): unknown {
  return { id, title, url, snippet: snippet ?? '', date: publishedAt, source: 'web' }
}

/** A subscription is not billed by the request, so the costs are zero. */
function formatUsage({ usage: { inputTokens, outputTokens, searches } }: Done): unknown {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
    cost: { currency: 'USD', input_cost: 0, output_cost: 0, total_cost: 0 },
    tool_calls_details: { search_web: { invocation: searches } },
  }
}
