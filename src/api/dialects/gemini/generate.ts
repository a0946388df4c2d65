import { parseJson } from '@csp/lib/json'
import { AnswerFold, replay } from '../../../domain/answer.ts'
import type { Answer, FinishReason, SearchEvent, ToolCall } from '../../../domain/search.ts'
import type { Dialect, Frame, Framing, PageOutcome, Reply } from '../../dialect.ts'
import { HeldText } from '../../serve/model-refusal.ts'
import { jsonFrame } from '../../serve/sse.ts'
import { withFetched } from '../shared/named-pages.ts'
import { geminiError } from './error.ts'
import { GeminiGrounding } from './grounding.ts'
import {
  defaultGeminiModel,
  type GeminiInput,
  geminiInput,
  ignoredGeminiFields,
  isJson,
  readGemini,
  readPageWish,
} from './input.ts'

const example = {
  contents: [{ role: 'user', parts: [{ text: 'How do heat pumps work in the cold?' }] }],
  tools: [{ googleSearch: {} }],
}

/** Gemini's `generateContent`: a search where Google Search is among the tools, otherwise plain inference. */
export const geminiContent: Dialect<GeminiInput> = {
  kind: 'search',
  schema: geminiInput,
  reference: {
    summary: 'Written answer with grounding, where `googleSearch` is among the tools',
    example,
    path: { id: 'a model and what is wanted of it: `gemini-flash-latest:generateContent`' },
    query: { alt: '`sse`: a stream is of events, not one list of JSON', key: 'the key, in place of a header' },
  },
  parse: readGemini,
  model: ({ model }) => model,
  ignored: ignoredGeminiFields,
  namedPages: { wish: readPageWish, add: withFetched },
  tellsRefusals: true,
  format,
}

/** Gemini's `streamGenerateContent` with `alt=sse`. */
export const geminiEvents = streamed(createEventFraming)

/** Gemini's `streamGenerateContent` without it. */
export const geminiList = streamed(createListFraming)

function streamed(framing: () => Framing): Dialect<GeminiInput> {
  return {
    ...geminiContent,
    reference: { summary: 'The same as a stream: of events with `?alt=sse`, otherwise as one list of JSON', example },
    stream: {
      wanted: () => true,
      format: formatStream,
      formatError: (failure) => [errorFrame(geminiError(failure).body)],
      framing,
    },
  }
}

function format(answer: Answer, reply: Reply<GeminiInput>): unknown {
  const grounded = new GeminiGrounding()
  const held = new HeldText(isJson(reply.input))
  const pieces = [...replay(answer)].flatMap((event) => held.pass(event)).map((event) => grounded.push(event))
  const text = [...pieces, grounded.flush()].join('')
  const calls = answer.toolCalls.map(formatCall)
  const parts = text === '' && calls.length > 0 ? calls : [{ text }, ...calls]
  return { ...whole(answer, parts, grounded, reply, held.refusal), ...head(reply) }
}

async function* formatStream(
  events: AsyncIterable<SearchEvent>,
  reply: Reply<GeminiInput>,
): AsyncGenerator<Frame, void, undefined> {
  const fold = new AnswerFold()
  const grounded = new GeminiGrounding()
  const chunk = (text: string) => jsonFrame({ candidates: [{ ...content([{ text }]), index: 0 }], ...head(reply) })
  const held = new HeldText(isJson(reply.input))
  for await (const event of events) {
    fold.add(event)
    for (const passed of held.pass(event)) {
      const text = grounded.push(passed)
      if (text !== '') yield chunk(text)
    }
  }
  const answer = fold.finish()
  const rest = grounded.flush()
  if (rest !== '') yield chunk(rest)
  const calls = answer.toolCalls.map(formatCall)
  const parts = calls.length > 0 ? calls : [{ text: '' }]
  yield jsonFrame({ ...whole(answer, parts, grounded, reply, held.refusal), ...head(reply) })
}

/** The reply, or the last part of it: libraries keep the sources and the reason of the last one alone. */
function whole(
  { reason, searches, usage, evidence }: Answer,
  parts: readonly unknown[],
  grounded: GeminiGrounding,
  { named = [] }: Reply<GeminiInput>,
  refusal: string | undefined,
) {
  return {
    candidates: [
      {
        ...content(parts),
        finishReason: finishReasons[reason],
        ...(refusal !== undefined && { finishMessage: refusal }),
        index: 0,
        ...(searches.length > 0 && { groundingMetadata: grounded.metadata(searches, evidence) }),
        ...(named.length > 0 && { urlContextMetadata: { urlMetadata: named.map(formatPage) } }),
      },
    ],
    usageMetadata: {
      promptTokenCount: usage.inputTokens,
      candidatesTokenCount: usage.outputTokens,
      totalTokenCount: usage.inputTokens + usage.outputTokens,
    },
  }
}

function formatPage({ url, error }: PageOutcome) {
  const status = error?.code === 'needs-login' ? 'PAYWALL' : error ? 'ERROR' : 'SUCCESS'
  return { retrievedUrl: url, urlRetrievalStatus: `URL_RETRIEVAL_STATUS_${status}` }
}

function content(parts: readonly unknown[]) {
  return { content: { parts, role: 'model' } }
}

function head({ id, input }: Reply<GeminiInput>) {
  return { modelVersion: input.model ?? defaultGeminiModel, responseId: id }
}

function formatCall({ id, name, arguments: text }: ToolCall) {
  return { functionCall: { id, name, args: parseJson(text) ?? {} }, thoughtSignature }
}

/** Clients return it with the call, and some complain without it. It signs nothing: base64 of `csp`. */
const thoughtSignature = 'Y3Nw'

/** Calls of functions end with `STOP`, as Gemini's do. */
const finishReasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  'tool-calls': 'STOP',
} as const satisfies Record<FinishReason, string>

/** A frame that ends a stream with an error. */
function errorFrame(body: unknown): Frame {
  return { event: 'error', data: JSON.stringify(body) }
}

/**
 * Server-sent events as Google's clients read them. Some know no comments, so a heartbeat is the beginning of the next
 * event, and spaces in it. An error stands in an event, which most clients look for, and bare behind it: others take an
 * event without a candidate for nothing, and fail only at what is no event.
 */
function createEventFraming(): Framing {
  let isBegun = false
  return {
    contentType: 'text/event-stream; charset=utf-8',
    write({ event, data }) {
      const text = `${isBegun ? '' : 'data: '}${data}\r\n\r\n`
      isBegun = false
      return event === 'error' ? `${text}${data}\n` : text
    },
    heartbeat() {
      const text = isBegun ? ' ' : 'data: '
      isBegun = true
      return text
    },
    end: () => '',
  }
}

/** A list of JSON, each item of which is sent when it is there. */
function createListFraming(): Framing {
  let isBegun = false
  return {
    contentType: 'application/json; charset=utf-8',
    write({ data }) {
      const text = `${isBegun ? ',\r\n' : '['}${data}`
      isBegun = true
      return text
    },
    heartbeat: () => '\n',
    end: () => (isBegun ? ']' : '[]'),
  }
}
