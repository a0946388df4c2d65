import { AnswerFold } from '../../../domain/answer.ts'
import type { Answer, Citation, Search, SearchEvent, SearchResult } from '../../../domain/search.ts'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import { ignoredFields } from '../../fields/field.ts'
import { HeldText, refusalIn } from '../../serve/model-refusal.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { ChatDeltas, chatUsage, finishReasons, formatToolCalls } from '../shared/chat/format.ts'
import { type ChatInput, chatInput, ignoredChatFields, readChat } from '../shared/chat/input.ts'
import { openaiError } from '../shared/errors.ts'
import { evidenceField } from '../shared/evidence.ts'
import { isSonar, sonarSources } from '../shared/sources.ts'

/**
 * OpenAI's chat completions. An answer rests on a search, unless the caller brings functions of its own: see
 * `shared/chat/input.ts`. Beside OpenAI's annotations every answer has Perplexity's two lists, since its markers `[n]`
 * point into them. OpenAI's clients skip fields that they do not know.
 */
export const openaiChat: Dialect<ChatInput> = {
  kind: 'search',
  schema: chatInput,
  reference: {
    summary: 'Written answer with citations; plain inference with `disable_search` or tools of your own',
    example: {
      model: 'sonnet',
      messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }],
    },
  },
  parse: readChat,
  model: ({ model }) => model,
  ignored: (input) => [...ignoredChatFields(input), ...ignoredFields(input, ['stream_mode'])],
  tellsRefusals: true,
  format,
  stream: {
    wanted: (input) => input.stream ?? false,
    format: formatStream,
    // No [DONE] after it: a client that ignores the error must not take the answer for complete.
    formatError: (failure) => [jsonFrame(openaiError(failure).body)],
  },
}

function format(answer: Answer, reply: Reply<ChatInput>): unknown {
  const calls = formatToolCalls(answer, reply.input)
  const refusal = answer.reason === 'refusal' && isJson(reply.input) ? refusalIn(answer.text) : null
  const message = {
    role: 'assistant',
    content: refusal !== null ? null : calls.length > 0 ? answer.text || null : answer.text,
    refusal,
    annotations: answer.citations.map(formatCitation),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...head('chat.completion', reply),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(answer, refusal) }],
    usage: chatUsage(answer.usage),
    ...sourceLists(answer.searches, reply),
    ...evidenceField(answer),
  }
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<ChatInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const wantsUsage = reply.input.stream_options?.include_usage ?? false
  let listed: readonly SearchResult[] | undefined
  // Some clients read the lists from the first chunk, others from the last; repeated in each, they outweigh the text.
  const lists = (isEnd: boolean) => {
    const last = fold.searches.at(-1)?.results
    if (!isEnd && listed !== undefined && last === listed) return undefined
    listed = last ?? []
    return sourceLists(fold.searches, reply)
  }
  const chunk = (choices: readonly unknown[], isEnd: boolean, usage: unknown = null, more: object = {}) =>
    jsonFrame({
      ...head('chat.completion.chunk', reply),
      choices,
      ...(wantsUsage && { usage }),
      ...lists(isEnd),
      ...more,
    })
  const delta = (content: unknown, reason: string | null = null, more?: object) =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason: reason }], reason !== null, null, more)
  const opening = { role: 'assistant', content: '', refusal: null }
  const deltas = new ChatDeltas(reply.input)

  const held = new HeldText(isJson(reply.input))
  let begun = false
  for await (const event of events) {
    fold.add(event)
    for (const passed of held.pass(event)) {
      const news = deltas.of(passed)
      if (!news) continue
      // Nothing is sent before the first content, so that an earlier failure keeps its HTTP status.
      if (!begun) yield delta(opening)
      begun = true
      yield delta(news)
    }
  }
  const answer = fold.finish()
  if (!begun) yield delta(opening)
  if (held.refusal !== undefined) yield delta({ refusal: held.refusal })
  for (const rest of deltas.rest(answer)) yield delta(rest)
  // All in one chunk: the vendor's library keeps only the last list.
  if (answer.citations.length > 0) yield delta({ annotations: answer.citations.map(formatCitation) })
  yield delta({}, finishReasonOf(answer, held.refusal), evidenceField(answer))
  if (wantsUsage) yield chunk([], true, chatUsage(answer.usage))
  yield { data: '[DONE]' }
}

/** Whether the text has to fit a schema, so that a refusal has a field of its own. */
function isJson({ response_format: format }: ChatInput): boolean {
  return format !== undefined && format.type !== 'text'
}

/** The vendor's libraries throw at any other reason before they look for a refusal. */
function finishReasonOf({ reason }: Answer, refusal: string | null | undefined): string {
  return typeof refusal === 'string' ? 'stop' : finishReasons[reason]
}

function head(object: string, { id, createdAt, input, defaultModel = 'sonnet' }: Reply<ChatInput>) {
  return {
    id: `chatcmpl-${id}`,
    object,
    created: Math.floor(createdAt.getTime() / 1000),
    model: input.model ?? defaultModel,
  }
}

/** Text without a search has no lists, except from a `sonar` model, whose clients expect them even empty. */
function sourceLists(searches: readonly Search[], { input }: Reply<ChatInput>) {
  const isExpected = input.model !== undefined && isSonar(input.model)
  return searches.length > 0 || isExpected ? sonarSources(searches) : undefined
}

function formatCitation({ start, end, url, title }: Citation): unknown {
  return { type: 'url_citation', url_citation: { start_index: start, end_index: end, url, title } }
}
