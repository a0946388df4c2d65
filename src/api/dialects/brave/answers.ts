import { z } from 'zod'
import { AnswerFold, replay, sourcesOf } from '../../../domain/answer.ts'
import { chooseModel, isKnownModel, type ModelMap } from '../../../domain/model.ts'
import type { Answer, Citation, SearchEvent, SearchRequest } from '../../../domain/search.ts'
import type { Dialect, Frame, Reply } from '../../dialect.ts'
import { refused } from '../../exchange/refusal.ts'
import { booleanField, integerField, nameField, optional } from '../../fields/field.ts'
import { languageField } from '../../fields/places.ts'
import { ordinaryQuery, queryField } from '../../fields/query.ts'
import { withoutEffect } from '../../http/unread.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { chatUsage, finishReasons } from '../shared/chat/format.ts'
import { type CitedPart, CitedText } from '../shared/cited-text.ts'
import { evidenceField } from '../shared/evidence.ts'
import { faviconOf } from '../shared/sources.ts'
import { braveError } from './error.ts'
import { braveCountryField, readPlace } from './search.ts'

/** One question, no conversation. */
const schema = z.object({
  messages: z
    .array(z.object({ role: z.enum(['user']), content: queryField({ ...ordinaryQuery, keepLines: true }) }))
    .min(1)
    .max(1),
  model: optional(z.string()),
  stream: optional(booleanField),
  stream_options: optional(z.object({ include_usage: optional(booleanField) })),
  country: optional(braveCountryField),
  language: optional(languageField),
  safesearch: optional(nameField(['off', 'moderate', 'strict'])),
  max_completion_tokens: withoutEffect(optional(integerField(1, Number.MAX_SAFE_INTEGER))),
  web_search_options: optional(z.object({ search_context_size: optional(z.enum(['low', 'medium', 'high'])) })),
  enable_citations: optional(booleanField),
  enable_entities: withoutEffect(optional(booleanField)),
  enable_research: optional(booleanField),
  research_allow_thinking: withoutEffect(optional(booleanField)),
  research_maximum_number_of_tokens_per_query: withoutEffect(optional(integerField(1024, 16384))),
  research_maximum_number_of_queries: optional(integerField(1, 50)),
  research_maximum_number_of_iterations: withoutEffect(optional(integerField(1, 5))),
  research_maximum_number_of_seconds: withoutEffect(optional(integerField(1, 300))),
  research_maximum_number_of_results_per_query: withoutEffect(optional(integerField(1, 60))),
})

type BraveAnswersInput = z.output<typeof schema>

/**
 * Brave's answers, `/res/v1/chat/completions`: OpenAI's shape, streamed unless the caller disables it. Citations and
 * usage are tags in the text, each in a chunk of its own, as clients of this API expect.
 */
export const braveAnswers: Dialect<BraveAnswersInput> = {
  kind: 'search',
  schema,
  reference: {
    summary: 'Written answer with citations; streamed unless `stream` is false',
    example: {
      messages: [{ role: 'user', content: 'How do heat pumps work in the cold?' }],
      stream: false,
    },
  },
  parse: readBraveQuestion,
  model: ({ model = 'brave' }) => (isBraves(model) ? undefined : model),
  format,
  stream: {
    wanted: (input) => input.stream ?? true,
    format: formatStream,
    // No [DONE] after it: a client that ignores the error must not take the answer for complete.
    formatError: (failure, reply) => [jsonFrame(braveError(failure, reply, 'POST').body)],
  },
}

/** Translates a question. Throws a `Refusal` for what the vendor does not combine. */
function readBraveQuestion(input: BraveAnswersInput, models: ModelMap, headers: Headers | undefined): SearchRequest {
  const { messages, stream = true, enable_citations = false, enable_research = false } = input
  if (enable_research && !stream) throw refused(['enable_research'], 'Research needs stream: true')
  if (enable_research && enable_citations) {
    throw refused(['enable_citations'], 'Research always has citations; set only one of the two')
  }
  if (enable_citations && !stream) throw refused(['enable_citations'], 'Citations need stream: true')
  return {
    ...readModel(input, models),
    ...(enable_research && {
      effort: 'deep',
      research: 'medium',
      maxSearches: input.research_maximum_number_of_queries,
    }),
    query: messages.map(({ content }) => content).join('\n'),
    history: [],
    want: 'answer',
    filters: {
      ...readPlace(input.country, headers),
      language: input.language,
      safeSearch: input.safesearch,
    },
  }
}

/** The vendor's own names, or any other. */
function readModel(
  { model = 'brave', web_search_options }: BraveAnswersInput,
  models: ModelMap,
): Pick<SearchRequest, 'effort' | 'model' | 'research'> {
  const choice = isBraves(model) && !isKnownModel(model, models) ? undefined : chooseModel(model, models)
  if (choice) return { effort: choice.effort, model: choice.model, research: choice.research }
  if (!isBraves(model)) throw refused(['model'], "Input should be 'brave' or 'brave-pro'")
  return { effort: web_search_options?.search_context_size === 'low' ? 'fast' : 'standard' }
}

function isBraves(model: string): boolean {
  return model === 'brave' || model === 'brave-pro'
}

function format(answer: Answer, reply: Reply<BraveAnswersInput>): unknown {
  const content = bravePartsOf(answer)
    .map((part) => write(part, false))
    .join('')
  const message = { role: 'assistant', content }
  return {
    ...head('chat.completion', reply),
    choices: [{ index: 0, message, finish_reason: finishReasons[answer.reason] }],
    usage: chatUsage(answer.usage),
    ...evidenceField(answer),
  }
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<BraveAnswersInput>,
): AsyncGenerator<Frame, void, undefined> {
  const { enable_citations = false, enable_research = false, stream_options } = reply.input
  const isTagged = enable_citations || enable_research
  const chunk = (delta: unknown, reason: string | null = null, more: object = {}) =>
    jsonFrame({
      ...head('chat.completion.chunk', reply),
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })

  const parts = new BraveCitedParts()
  let begun = false
  const pieces = written(events, parts, isTagged)
  for await (const piece of enable_research ? inOne(pieces) : pieces) {
    // Nothing is sent before the first text, so that an earlier failure keeps its HTTP status.
    if (!begun) yield chunk({ role: 'assistant', content: '' })
    begun = true
    yield chunk({ content: piece })
  }
  const { answer } = parts
  if (isTagged) yield chunk({ content: tag('usage', formatCosts(answer)) })
  yield chunk({}, finishReasons[answer.reason], evidenceField(answer))
  if (stream_options?.include_usage) {
    yield jsonFrame({ ...head('chat.completion.chunk', reply), choices: [], usage: chatUsage(answer.usage) })
  }
  yield { data: '[DONE]' }
}

/** The content of each chunk. */
async function* written(
  events: AsyncIterable<SearchEvent>,
  parts: BraveCitedParts,
  isTagged: boolean,
): AsyncGenerator<string, void, undefined> {
  async function* all() {
    for await (const event of events) yield* parts.add(event)
    yield* parts.flush()
  }
  for await (const part of all()) {
    const text = write(part, isTagged)
    if (text) yield text
  }
}

/** Research comes in one chunk, since the vendor sends no drafts. */
async function* inOne(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let answer = ''
  for await (const piece of pieces) answer += piece
  yield `<answer>${answer}</answer>`
}

function write(part: BravePart, isTagged: boolean): string {
  if (part.type === 'text') return part.text
  return isTagged ? tag('citation', part.citation) : ''
}

function tag(name: string, content: unknown): string {
  return `<${name}>${JSON.stringify(content)}</${name}>`
}

function head(object: string, { id, createdAt, input }: Reply<BraveAnswersInput>) {
  const created = Math.floor(createdAt.getTime() / 1000)
  return { id: `chatcmpl-${id}`, object, created, model: input.model ?? 'brave' }
}

/** A subscription is not billed by the request, so the costs are zero. */
function formatCosts({ usage }: Answer): unknown {
  return {
    'X-Request-Requests': 1,
    'X-Request-Queries': usage.searches,
    'X-Request-Tokens-In': usage.inputTokens,
    'X-Request-Tokens-Out': usage.outputTokens,
    'X-Request-Requests-Cost': 0,
    'X-Request-Queries-Cost': 0,
    'X-Request-Tokens-In-Cost': 0,
    'X-Request-Tokens-Out-Cost': 0,
    'X-Request-Total-Cost': 0,
  }
}

/** A part of an answer as Brave splits it: text without markers, or the source of the text before it. */
export type BravePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'citation'; readonly citation: BraveCitation }

/** Offsets are UTF-16 and end-exclusive; they span the text since the last citation, markers not counted. */
interface BraveCitation {
  readonly start_index: number
  readonly end_index: number
  /** 1-based index of the source. */
  readonly number: number
  readonly url: string
  readonly favicon?: string | undefined
  readonly snippet: string
}

/** The parts of a whole answer. */
export function bravePartsOf(answer: Answer): readonly BravePart[] {
  const parts = new BraveCitedParts()
  return [...[...replay(answer)].flatMap((event) => parts.add(event)), ...parts.flush()]
}

/** Splits an answer into text and citations while it streams. */
class BraveCitedParts {
  readonly #fold = new AnswerFold()
  readonly #text = new CitedText()
  #start = 0
  #end = 0
  #isCited = false

  add(event: SearchEvent): readonly BravePart[] {
    this.#fold.add(event)
    if (event.type === 'text-delta') return this.#write(this.#text.push(event.text, this.#sources.length))
    return event.type === 'citation' ? this.#write(this.#text.cite(event.citation)) : []
  }

  /** Flushes the text that is held back. */
  flush(): readonly BravePart[] {
    return this.#write(this.#text.flush())
  }

  /** Throws `failed` when no `done` event came. */
  get answer(): Answer {
    return this.#fold.finish()
  }

  get #sources() {
    return sourcesOf(this.#fold.searches)
  }

  #write(parts: readonly CitedPart[]): readonly BravePart[] {
    return parts.map((part) => {
      if (part.type === 'citation') return { type: 'citation', citation: this.#cite(part.citation) }
      if (this.#isCited) this.#start = this.#end
      this.#isCited = false
      this.#end += part.text.length
      return part
    })
  }

  #cite({ number, url }: Citation): BraveCitation {
    this.#isCited = true
    return {
      start_index: this.#start,
      end_index: this.#end,
      number,
      url,
      favicon: faviconOf(url),
      snippet: this.#sources[number - 1]?.snippet ?? '',
    }
  }
}
