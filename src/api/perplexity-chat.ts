import { AnswerFold } from '../domain/answer.ts'
import type { Answer, FinishReason, Search, SearchEvent, Usage } from '../domain/search.ts'
import { type ChatInput, chatInput, readChat } from './chat-input.ts'
import type { Dialect, Frame, Reply } from './dialect.ts'
import { perplexityError } from './perplexity-error.ts'
import { sonarSources } from './sonar-sources.ts'

/** Perplexity's Sonar chat completions. */
export const perplexityChat: Dialect<ChatInput> = {
  name: 'perplexity-chat',
  schema: chatInput,
  parse: readChat,
  format,
  formatError: perplexityError,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    // No [DONE] after it: a client that passes over the error should not take the answer for whole.
    formatError: (failure) => [frame(perplexityError(failure).body)],
  },
}

const defaultModel = 'sonar-pro'

function format(answer: Answer, reply: Reply<ChatInput>): unknown {
  const message = { role: 'assistant', content: answer.text }
  const choice = { index: 0, finish_reason: finishReasons[answer.reason], message, delta: delta('') }
  return { ...head('chat.completion', answer, reply), choices: [choice] }
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ChatInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const chunk = (content: string, state: Head, reason: string | null = null) =>
    frame({
      ...head('chat.completion.chunk', state, reply),
      choices: [{ index: 0, finish_reason: reason, delta: delta(content) }],
    })
  const soFar = (): Head => ({ searches: fold.searches, usage: { ...noTokens, searches: fold.searches.length } })

  for await (const event of events) {
    fold.add(event)
    // Some clients read the sources from the first chunk alone, so it waits for the text: what is searched for before
    // that is in it, and what fails before that keeps its status.
    if (event.type === 'text-delta') yield chunk(event.text, soFar())
  }
  const answer = fold.finish()
  yield chunk('', answer, finishReasons[answer.reason])
  yield { data: '[DONE]' }
}

type Head = Pick<Answer, 'usage'> & { readonly searches: readonly Search[] }

const noTokens = { inputTokens: 0, outputTokens: 0 }

function head(object: string, { searches, usage }: Head, { id, createdAt, input }: Reply<ChatInput>) {
  return {
    id,
    model: input.model ?? defaultModel,
    created: Math.floor(createdAt.getTime() / 1000),
    object,
    usage: formatUsage(usage, input),
    ...sonarSources(searches),
  }
}

/** A subscription is not billed by the request, so the costs, which the client's types require, are zero. */
function formatUsage({ inputTokens, outputTokens, searches }: Usage, input: ChatInput): unknown {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    search_context_size: input.web_search_options?.search_context_size ?? 'low',
    num_search_queries: searches,
    cost: { input_tokens_cost: 0, output_tokens_cost: 0, request_cost: 0, total_cost: 0 },
  }
}

function delta(content: string) {
  return { role: 'assistant', content }
}

function frame(body: unknown): Frame {
  return { data: JSON.stringify(body) }
}

/** The vendor knows these two only. */
const finishReasons = {
  stop: 'stop',
  length: 'length',
  refusal: 'stop',
  'tool-calls': 'stop',
} as const satisfies Record<FinishReason, string>
