import { counted } from '@csp/lib/text'
import { hostOf } from '@csp/lib/url'
import { AnswerFold } from '../../../domain/answer.ts'
import type { ResearchStep } from '../../../domain/research-step.ts'
import type { Answer, FinishReason, Search, SearchEvent, Usage } from '../../../domain/search.ts'
import { unreadInWords } from '../../../domain/unread-pages.ts'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { ChatDeltas, chatUsage, formatToolCalls } from '../shared/chat/format.ts'
import { type ChatInput, chatInput, ignoredChatFields, readChat } from '../shared/chat/input.ts'
import { evidenceField } from '../shared/evidence.ts'
import { thoughtOf } from '../shared/research.ts'
import { sonarSources } from '../shared/sources.ts'
import { perplexityError } from './error.ts'

/** Perplexity's Sonar chat completions. */
export const perplexityChat: Dialect<ChatInput> = {
  kind: 'search',
  schema: chatInput,
  reference: {
    summary: 'Written answer with citations',
    example: {
      model: 'sonar-pro',
      messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }],
    },
  },
  parse: readChat,
  model: ({ model }) => model,
  ignored: ignoredChatFields,
  format,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    // No [DONE] after it: a client that ignores the error must not take the answer for complete.
    formatError: (failure) => [jsonFrame(perplexityError(failure).body)],
  },
}

const defaultModel = 'sonar-pro'

function format(answer: Answer, reply: Reply<ChatInput>): unknown {
  return whole('chat.completion', answer, reply)
}

function whole(object: string, answer: Answer, reply: Reply<ChatInput>): unknown {
  const calls = formatToolCalls(answer, reply.input)
  const message = { role: 'assistant', content: answer.text, ...(calls.length > 0 && { tool_calls: calls }) }
  const choice = { index: 0, finish_reason: finishReasons[answer.reason], message, delta: delta('') }
  return { ...head(object, reply), ...cost(answer, reply), ...evidenceField(answer), choices: [choice] }
}

function formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ChatInput>,
): AsyncGenerator<Frame, void, undefined> {
  return reply.input.stream_mode === 'concise' ? conciseStream(events, reply) : fullStream(events, reply)
}

async function* fullStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ChatInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const deltas = new ChatDeltas(reply.input)
  let known = 0
  const chunk = (content: object, state: State, reason: string | null = null, more: object = {}) => {
    // Every chunk has the citations, as Perplexity's do. The search results are most of the bytes, so only the first and
    // the last chunk have them, and those that bring new ones.
    const isNews = known === 0 || reason !== null || state.searches.length !== known
    known = Math.max(1, state.searches.length)
    const { search_results, ...common } = cost(state, reply)
    return jsonFrame({
      ...head('chat.completion.chunk', reply),
      ...common,
      ...(isNews && { search_results }),
      ...more,
      choices: [{ index: 0, finish_reason: reason, delta: { ...delta(''), ...content } }],
    })
  }

  for await (const event of events) {
    fold.add(event)
    // Some clients read the sources from the first chunk only, so it waits for the text: then it has all sources, and
    // an earlier failure keeps its HTTP status.
    const news = deltas.of(event)
    if (news) yield chunk(news, soFar(fold, reply))
  }
  const answer = fold.finish()
  for (const rest of deltas.rest(answer)) yield chunk(rest, answer)
  yield chunk({}, answer, finishReasons[answer.reason], evidenceField(answer))
  yield { data: '[DONE]' }
}

/** The searches first, as reasoning steps; then text; the sources and the cost after each of the two. */
async function* conciseStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ChatInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const deltas = new ChatDeltas(reply.input)
  const chunk = (object: string, content: object, more: object = {}) =>
    jsonFrame({
      ...head(object, reply),
      ...more,
      choices: [{ index: 0, finish_reason: null, delta: { ...delta(''), ...content } }],
    })
  const steps: unknown[] = []
  let writing = false

  for await (const event of events) {
    fold.add(event)
    const step =
      event.type === 'search-results'
        ? reasoningStep(fold.searches.find(({ id }) => id === event.id))
        : event.type === 'research'
          ? researchStep(event.step)
          : event.type === 'reading' && readingStep(event)
    if (step) {
      steps.push(step)
      if (!writing) yield chunk('chat.reasoning', { reasoning_steps: [step] })
    }
    const news = deltas.of(event)
    if (!news) continue
    if (!writing && steps.length > 0) {
      yield chunk('chat.reasoning.done', { reasoning_steps: steps }, cost(soFar(fold, reply), reply))
    }
    writing = true
    yield chunk('chat.completion.chunk', news)
  }
  const answer = fold.finish()
  for (const rest of deltas.rest(answer)) yield chunk('chat.completion.chunk', rest)
  yield jsonFrame(whole('chat.completion.done', answer, reply))
  yield { data: '[DONE]' }
}

function reasoningStep(search: Search | undefined): unknown {
  const found = sonarSources(search ? [search] : []).search_results
  return {
    thought: 'Searching the web.',
    type: 'web_search',
    web_search: { search_keywords: search ? [search.query] : [], search_results: found },
  }
}

/** What is waited for, and what has not come. */
function readingStep({ pages, maxMs, unread, read }: Extract<SearchEvent, { type: 'reading' }>): unknown {
  if (read !== undefined) return pageStep(hostOf(read), read)
  const seconds = maxMs === undefined ? '' : `, ${Math.ceil(maxMs / 1000)} s at most`
  const thought = unread ? `Not read: ${unreadInWords(unread)}.` : `Reading ${counted(pages, 'page')}${seconds}.`
  return { thought, type: null }
}

function researchStep(step: ResearchStep): unknown {
  if (step.kind !== 'page') return { thought: thoughtOf(step), type: null }
  return pageStep(step.title, step.url)
}

function pageStep(title: string, url: string): unknown {
  return { thought: 'Reading a page.', type: 'fetch_url_content', fetch_url_content: { contents: [{ title, url }] } }
}

type State = Pick<Answer, 'usage'> & { readonly searches: readonly Search[] }

function soFar({ searches }: AnswerFold, { promptTokens = 0 }: Reply<ChatInput>): State {
  return { searches, usage: { inputTokens: promptTokens, outputTokens: 0, searches: searches.length } }
}

function head(object: string, { id, createdAt, input }: Reply<ChatInput>) {
  return { id, model: input.model ?? defaultModel, created: Math.floor(createdAt.getTime() / 1000), object }
}

/** The cost so far and the sources. */
function cost({ searches, usage }: State, { input }: Reply<ChatInput>) {
  const images = input.return_images ? { images: [] } : undefined
  return { usage: formatUsage(usage, input), ...sonarSources(searches), ...images }
}

/** A subscription is not billed by the request, so the costs, which the client's types require, are zero. */
function formatUsage(usage: Usage, input: ChatInput): unknown {
  return {
    ...chatUsage(usage),
    search_context_size: input.web_search_options?.search_context_size ?? 'low',
    num_search_queries: usage.searches,
    cost: { input_tokens_cost: 0, output_tokens_cost: 0, request_cost: 0, total_cost: 0 },
  }
}

function delta(content: string) {
  return { role: 'assistant', content }
}

/** The vendor has the first two only; callers with functions know the third from OpenAI. */
const finishReasons = {
  stop: 'stop',
  length: 'length',
  refusal: 'stop',
  'tool-calls': 'tool_calls',
} as const satisfies Record<FinishReason, string>
