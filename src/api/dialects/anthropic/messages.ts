import { parseJson } from '@csp/lib/json'
import { AnswerFold, replay } from '../../../domain/answer.ts'
import { SearchError } from '../../../domain/error.ts'
import type { Answer, FinishReason, SearchEvent, ToolCall } from '../../../domain/search.ts'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import { evidenceField } from '../shared/evidence.ts'
import { withFetched } from '../shared/named-pages.ts'
import { foldContent } from './content.ts'
import { ContentWriter } from './content-writer.ts'
import { anthropicError } from './error.ts'
import { type AnthropicInput, anthropicInput, readFetchWish, readPageCitations, readPrompt } from './input.ts'
import { ignoredToolFields } from './tools.ts'

/** Anthropic's Messages API: a search where its web search is among the tools, otherwise plain inference. */
export const anthropicMessages: Dialect<AnthropicInput> = {
  kind: 'search',
  schema: anthropicInput,
  reference: {
    summary: 'Written answer with citations, where the `web_search` server tool is among the tools',
    example: {
      model: 'sonnet',
      max_tokens: 1024,
      messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    },
  },
  parse: (input, models) => ({ ...readPrompt(input, models), stop: input.stop_sequences }),
  model: ({ model }) => model,
  ignored: ({ tools = [] }) => ignoredToolFields(tools),
  namedPages: { wish: readFetchWish, add: withFetched },
  // Its stop reason, beside the text.
  tellsRefusals: true,
  format,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    formatError: (failure, reply) => [{ event: 'error', data: JSON.stringify(anthropicError(failure, reply).body) }],
  },
}

function format(answer: Answer, reply: Reply<AnthropicInput>): unknown {
  for (const call of answer.toolCalls) checkArguments(call)
  const writer = contentWriter(reply, answer.evidence)
  const fetched = [...writer.pushFetched(reply.named ?? [], reply.createdAt)]
  const steps = [...fetched, ...[...replay(answer)].flatMap((event) => [...writer.push(event)]), ...writer.end()]
  return {
    ...head(reply),
    content: foldContent(steps),
    ...stopOf(answer),
    usage: formatUsage(answer, reply),
    ...evidenceField(answer),
  }
}

function checkArguments({ arguments: text }: ToolCall): void {
  if (text === '' || parseJson(text) !== undefined) return
  throw new SearchError('failed', 'The model broke off the arguments of a tool.')
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<AnthropicInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const writer = contentWriter(reply)
  const usage = { ...noUsage, input_tokens: reply.promptTokens ?? 0 }
  const message = { ...head(reply), content: [], stop_reason: null, stop_sequence: null, usage }
  const fetched = [...writer.pushFetched(reply.named ?? [], reply.createdAt)].map((step) => frame(step))
  const opening = [frame({ type: 'message_start', message }), frame({ type: 'ping' }), ...fetched]

  // Nothing is sent before the first block, so that an earlier failure keeps its HTTP status.
  let begun = false
  for await (const event of events) {
    fold.add(event)
    for (const step of writer.push(event)) {
      if (!begun) yield* opening
      begun = true
      yield frame(step)
    }
  }
  const answer = fold.finish()
  if (!begun) yield* opening
  for (const step of writer.end()) yield frame(step)
  yield frame({
    type: 'message_delta',
    delta: stopOf(answer),
    usage: formatUsage(answer, reply),
    ...evidenceField(answer),
  })
  yield frame({ type: 'message_stop' })
}

function contentWriter({ id, input, named = [] }: Reply<AnthropicInput>, evidence?: Answer['evidence']): ContentWriter {
  const oneToolCall = input.tool_choice?.disable_parallel_tool_use ?? false
  const pageCitations = readPageCitations(input, named)
  return new ContentWriter({ id: id.replaceAll(/\W/g, ''), oneToolCall, pageCitations, evidence })
}

function head({ id, input }: Reply<AnthropicInput>) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model: input.model }
}

const noUsage = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

function formatUsage({ usage, searches }: Answer, { named = [] }: Reply<AnthropicInput>): unknown {
  const isServed = searches.length > 0 || named.length > 0
  return {
    ...noUsage,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...(isServed && {
      server_tool_use: { web_search_requests: usage.searches, web_fetch_requests: named.length },
    }),
  }
}

/** The vendor's client reads the `event:` line. */
function frame<Body extends { readonly type: string }>(body: Body): Frame {
  return { event: body.type, data: JSON.stringify(body) }
}

/** Why the text ended: a stop sequence has a reason of its own. */
function stopOf({ reason, stopSequence }: Answer) {
  const isStopped = reason === 'stop' && stopSequence !== undefined
  return { stop_reason: isStopped ? 'stop_sequence' : stopReasons[reason], stop_sequence: stopSequence ?? null }
}

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  refusal: 'refusal',
  'tool-calls': 'tool_use',
} as const satisfies Record<FinishReason, string>
