import type { Evidence } from '@csp/evidence/evidence'
import { createMemoryStorage } from 'ocache'
import { JsonShape } from '../../src/executor/answer/json/shape.ts'
import { type ModelEvent, ReplySession } from '../../src/executor/answer/reply-session.ts'
import { remote } from '../../src/executor/backends/remote/remote.ts'
import type { Executor } from '../../src/executor/executor.ts'
import { createStack } from '../../src/executor/layers/stack.ts'
import { loadConfig } from '../../src/runtime/config/config.ts'
import { createConfiguredGateway } from '../../src/runtime/gateway.ts'
import { receiptFiles } from '../../src/storage/receipt-files.ts'
import { testApp } from '../api/test-app.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { testJobs } from '../support/job-database.ts'
import { upstreamSettings } from '../support/upstream-settings.ts'

/** A model that writes this text, in pieces of so many characters. */
export interface Written {
  readonly text: string
  readonly piece: number
}

const url = 'https://seals.example/a'
const results = [
  { title: 'Seals', url, snippet: 'Seals bark at night.', source: 'scripted' },
  { title: 'More', url: 'https://more.example/', snippet: 'They bark.', source: 'scripted' },
]
const page = 'Seals bark at night, 42 times in 2026. They swim "far out" to sea. '.repeat(300)
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

function* piecesOf({ text, piece }: Written): Generator<string> {
  for (let at = 0; at < text.length; at += piece) yield text.slice(at, at + piece)
}

async function* turn(written: Written): AsyncGenerator<ModelEvent> {
  yield { type: 'search-start', id: 'one', query: 'seals' }
  yield { type: 'search-results', id: 'one', results }
  for (const text of piecesOf(written)) yield { type: 'text-delta', text }
  yield { type: 'end', stopReason: 'end_turn', model: 'm', inputTokens: 1, outputTokens: 1 }
}

/** A backend whose model writes the text, behind the session that every such backend has. */
export function writer(written: Written): Executor {
  return {
    name: 'scripted',
    async *search(request, { signal }) {
      const shape = request.schema && new JsonShape(request.schema)
      const session = new ReplySession({ request, shape, searchReminder: 'Search.', enough: signal })
      const correction = yield* session.turn(turn(written))
      if (correction) yield* session.lastTurn(turn(written))
    },
    health: async () => ({ ready: true, backends: [] }),
    close: async () => {},
  }
}

/** Another csp, which has not grounded what it sends. */
function otherCsp(written: Written, evidence?: readonly Evidence[]): Executor {
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const done = { type: 'done', reason: 'stop', model: 'm', usage, evidence }
  const events: readonly object[] = [
    { type: 'search-start', id: 'one', query: 'seals' },
    { type: 'search-results', id: 'one', results },
    ...[...piecesOf(written)].map((text) => ({ type: 'text-delta', text })),
    done,
  ]
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const fetcher = { fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }) }
  return remote({ fetcher, health: async () => ({ ready: true, backends: [] }) })
}

/** One sentence that is the text, and many that are made of it. */
function evidenceWith(text: string): readonly Evidence[] {
  const sentences = [text, ...(text.match(/.{1,100}/gs) ?? [])]
  return sentences.map((sentence) => ({
    ...{ sentence, start: 0, end: 15, verdict: 'partly', score: 0.5, sources: [1] },
    ...{ passage: { text: sentence, source: 1, place: 0 }, missing: [{ kind: 'number', text: sentence }] },
  }))
}

let folder = ''
/** Where receipts are kept. */
export function keepReceiptsIn(path: string): void {
  folder = path
}

/** The layers of csp over a backend, whose pages have this text. */
export function stackOver(backend: Executor, text = page): Executor {
  const reader = fakePageReader({ [url]: text, 'https://more.example/': page })
  return createStack([backend], {
    cache: { storage: createMemoryStorage(), ttlSeconds: 60 },
    excerpts: { reader, source: 'pages' },
    evidence: { receipts: receiptFiles({ directory: folder, maxBytes: 1e7, maxDays: 9 }) },
  })
}

const messages = [{ role: 'user', content: 'What do seals do?' }]
const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }

async function ask(backend: Executor, path: string, body: object): Promise<string> {
  const executor = stackOver(backend)
  const app = testApp(Object.assign(executor, { requests: [] }) as never)
  const reply = await app.request(path, { method: 'POST', body: JSON.stringify(body) })
  const text = await reply.text()
  await executor.close()
  return text
}

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`

/** Replies of an upstream that write the text. */
function upstreamReply(shape: string, written: Written): string {
  const pieces = [...piecesOf(written)]
  if (shape === 'compatible') {
    const chunks = pieces.map((content) => data({ choices: [{ delta: { content } }] }))
    return [...chunks, data({ choices: [{ delta: {}, finish_reason: 'stop' }] })].join('')
  }
  if (shape === 'responses') {
    const item = { type: 'message', content: [] }
    const deltas = pieces.map((delta) => data({ type: 'response.output_text.delta', output_index: 0, delta }))
    const ended = data({ type: 'response.completed', response: { status: 'completed', output: [] } })
    return [data({ type: 'response.output_item.added', output_index: 0, item }), ...deltas, ended].join('')
  }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { type: 'message', id: 'm', role: 'assistant', model: 'm', content: [], stop_reason: null, usage }
  return [
    data({ type: 'message_start', message }),
    data({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) => data({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    data({ type: 'content_block_stop', index: 0 }),
    data({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage }),
    data({ type: 'message_stop' }),
  ].join('')
}

/** Claude Code with csp's searches, on a model behind the gateway that writes the text, or calls a tool with it. */
async function askGateway(shape: string, written: Written, more: object = {}, reply = upstreamReply(shape, written)) {
  const environment = { HOME: '/nowhere', ...upstreamSettings('http://127.0.0.1:9', shape) }
  const { config } = loadConfig({}, environment, '/')
  const gateway = createConfiguredGateway(
    config,
    {},
    {
      aroundFetch: () => async () => new Response(reply, { headers: { 'content-type': 'text/event-stream' } }),
    },
  )
  const executor = stackOver(writer(written))
  const app = testApp(Object.assign(executor, { requests: [] }) as never, { gateway })
  const body = { model: 'claude-sonnet-4-5', max_tokens: 9000, messages, stop_sequences: ['§§', '[1] a. b'], ...more }
  const text = await (await app.request('/v1/messages', { method: 'POST', body: JSON.stringify(body) })).text()
  await gateway?.close()
  return text
}

async function askJob(written: Written): Promise<string> {
  const executor = stackOver(writer(written))
  const jobs = testJobs(executor)
  const app = testApp(Object.assign(executor, { requests: [] }) as never, { jobs })
  const body = { model: 'sonnet', input: 'What do seals do?', background: true, tools: [{ type: 'web_search' }] }
  const { id } = await (await app.request('/v1/responses', { method: 'POST', body: JSON.stringify(body) })).json()
  for (;;) {
    const reply = await app.request(`/v1/responses/${id}`)
    const text = await reply.text()
    if (!/"status":"(?:queued|in_progress)"/.test(text)) {
      await jobs.close()
      return text
    }
    await Bun.sleep(2)
  }
}

const chat = { model: 'sonnet', messages }
const webSearch = [{ type: 'web_search_20250305', name: 'web_search' }]
const tool = { name: 'note', description: 'x', input_schema: { type: 'object' } }

const called = (json: string) =>
  data({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'note', arguments: json } }] } }] }) +
  data({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] })

const burst = 1e9
const streamed = 40

/** The ways of a written text through csp: what it is for each is its name. */
export const answerPaths: Readonly<Record<string, (text: string) => Promise<string>>> = {
  'a whole answer that comes at once': (text) =>
    ask(writer({ text, piece: burst }), '/chat/completions', { ...chat, model: 'sonar-pro' }),
  'a whole answer that comes in pieces': (text) => ask(writer({ text, piece: streamed }), '/v1/chat/completions', chat),
  'a streamed answer that comes at once': (text) =>
    ask(writer({ text, piece: burst }), '/v1/messages', {
      ...chat,
      model: 'claude-sonnet-4-5',
      max_tokens: 9,
      tools: webSearch,
      stream: true,
    }),
  'a streamed answer that comes in pieces': (text) =>
    ask(writer({ text, piece: streamed }), '/v1/chat/completions', { ...chat, stream: true }),
  'an answer of another csp that comes at once': (text) =>
    ask(otherCsp({ text, piece: burst }), '/v1/chat/completions', chat),
  'an answer of another csp that comes in pieces': (text) =>
    ask(otherCsp({ text, piece: streamed }), '/v1/chat/completions', { ...chat, stream: true }),
  'evidence of another csp': (text) =>
    ask(otherCsp({ text: 'Seals bark [1].', piece: burst }, evidenceWith(text)), '/v1/chat/completions', chat),
  'an answer by a schema that has the text': (text) =>
    ask(writer({ text: JSON.stringify({ a: text }), piece: burst }), '/v1/chat/completions', {
      ...chat,
      response_format,
    }),
  'an answer by a schema that is the text': (text) =>
    ask(writer({ text, piece: burst }), '/v1/chat/completions', { ...chat, response_format }),
  'an answer of another csp by a schema': (text) =>
    ask(otherCsp({ text: JSON.stringify({ a: text }), piece: burst }), '/v1/chat/completions', {
      ...chat,
      response_format,
    }),
  'a job': (text) => askJob({ text, piece: burst }),
  'a reply of a native upstream': (text) => askGateway('native', { text, piece: streamed }, { tools: webSearch }),
  'a reply of an upstream with chat completions': (text) => askGateway('compatible', { text, piece: burst }),
  'a reply of such an upstream in pieces, with searches': (text) =>
    askGateway('compatible', { text, piece: streamed }, { tools: webSearch, stream: true }),
  'a reply of an upstream with responses': (text) =>
    askGateway('responses', { text, piece: streamed }, { tools: webSearch }),
  'arguments of a call': (text) =>
    askGateway('compatible', { text, piece: burst }, { tools: [tool] }, called(JSON.stringify({ a: text }))),
  'arguments of a call that are no JSON': (text) =>
    askGateway('compatible', { text, piece: burst }, { tools: [tool] }, called(`{"a":"${text}`)),
}
