import { afterAll, describe, expect, test } from 'bun:test'
import { chatUpstream } from '@csp/gateway/chat-completions/chat-completions'
import { createGateway } from '@csp/gateway/gateway'
import { createUpstreamStack } from '@csp/gateway/layers/stack'
import { nativeUpstream } from '@csp/gateway/native/native'
import type { UpstreamCall } from '@csp/gateway/upstream'
import { eventually } from '@csp/testing/eventually'
import {
  type ChatRequest,
  chunk,
  openAiError,
  type ProviderScript,
  saying,
  serveProvider,
  toolChunk,
} from '../../../../packages/gateway/test/support/strict-provider.ts'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { collect } from '../../../../src/domain/answer.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { modelWriter } from '../../../../src/runtime/writers.ts'
import { replyContract } from '../../../contract/reply.ts'
import { type WriterBehaviour, writerContract } from '../../../contract/writer.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const seals = [{ title: 'Seals', url: 'https://example.com/seals', snippet: 'Seals live on ice.', source: 'fake' }]
const isJson = ({ messages }: ChatRequest) => JSON.stringify(messages).includes('JSON Schema')
const written = 'Seals live on ice [1]. They dive for an hour [2].'
const invented = 'See [this](https://evil.example/a), https://evil.example/b and www.evil.example [1].'

const scripts: Readonly<Record<WriterBehaviour, ProviderScript['reply']>> = {
  write: (body) => [...saying(isJson(body) ? '{"summary": "They live on ice."}' : written)],
  invent: () => [...saying(invented)],
  silent: () => ['hang'],
  hang: () => [chunk({ content: 'Seals live on ice [1]. ' }), 'hang'],
  fail: () => openAiError(429, 'Rate limit reached.'),
  break: () => [chunk({ content: 'Seals live on ice [1]. ' })],
}

/** A model of a gateway with one upstream, on a real server. */
function open(script: ProviderScript, onCall: (call: UpstreamCall) => void = () => {}) {
  const server = serveProvider(script)
  const upstream = chatUpstream({ name: 'ollama', baseUrl: server.url, kind: 'ollama' })
  const stacked = createUpstreamStack(
    { upstream, native: async () => undefined },
    { retried: { pause: async () => {} } },
  )
  const gateway = createGateway({ upstreams: [{ ...stacked, name: 'ollama', isAnthropic: false, patterns: [] }] })
  const writer = modelWriter('ollama/qwen3', { gateway, onCall })
  return {
    writer,
    server,
    async dispose() {
      await writer.close()
      await gateway.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

writerContract('A model of the gateway', {
  failure: 'rate-limited',
  breakage: 'unavailable',
  model: 'ollama/qwen3',
  create(behaviour) {
    const { writer, server, dispose } = open({ reply: scripts[behaviour] })
    return { writer, dispose, running: server.running, begun: () => eventually(() => server.bodies.length > 0) }
  },
})

for (const want of ['answer', 'text'] as const) {
  replyContract(`a model of the gateway, ${want},`, {
    searches: false,
    hasOwnSources: want === 'answer',
    create() {
      const { url, sandbox, stop } = startSandbox()
      const upstream = nativeUpstream({ name: 'sandbox', baseUrl: url, key: 'k' })
      const shaped = { upstream, native: async () => upstream, name: 'sandbox', isAnthropic: false, patterns: [] }
      const gateway = createGateway({ upstreams: [shaped] })
      const writer = modelWriter('sandbox/any', { gateway, onCall() {} })
      const sources = want === 'answer' ? seals : undefined
      const context = { signal: new AbortController().signal }
      return {
        sandbox,
        reply: (request) => writer.search(requestFor('seals', { want, sources, ...request }), context),
        async dispose() {
          await gateway.close()
          await stop()
        },
      }
    },
  })
}

describe('a model of the gateway', () => {
  const sources = seals
  const over = (rest: Partial<SearchRequest> = {}) =>
    requestFor('How do seals live?', { want: 'answer', effort: 'standard', sources, ...rest })
  const live = () => ({ signal: new AbortController().signal })
  const calls: UpstreamCall[] = []
  const tools = [{ name: 'get_weather', parameters: { type: 'object', properties: {} } }]
  const { writer, server, dispose } = open(
    {
      reply: (body) => {
        if (!body.tools) return [...saying(isJson(body) ? '{"summary": 7}' : written)]
        return [toolChunk(0, { id: 'call_1', name: 'get_weather', json: '{}' }), chunk({}, 'tool_calls'), '[DONE]']
      },
    },
    (call) => calls.push(call),
  )
  afterAll(dispose)
  const write = (rest: Partial<SearchRequest> = {}) => collect(writer.search(over(rest), live()))
  const sent = () => server.bodies.at(-1)

  test('is asked by its own name, told not to think, and gets the pages, notes and instructions', async () => {
    await write({ notes: 'Prose of the search.', instructions: 'Rhyme.', model: 'opus' })
    const text = JSON.stringify(sent()?.messages)
    for (const words of ['Seals live on ice.', 'Prose of the search.', 'Rhyme.', 'How do seals live?'])
      expect(text).toContain(words)
    expect(sent()).toMatchObject({ model: 'qwen3', reasoning_effort: 'none' })
    expect(calls.at(-1)).toMatchObject({ upstream: 'ollama', model: 'qwen3', inputTokens: 12, outputTokens: 3 })
  })

  test.each([
    [over({ effort: 'deep' }), undefined],
    [over({ research: 'low' }), undefined],
    [requestFor('Hi', { want: 'text' }), undefined],
    [over({ effort: 'fast' }), 'none'],
  ])('thinks where there is time for it: %#', async (request, effort) => {
    await collect(writer.search(request, live()))
    expect(sent()?.['reasoning_effort']).toBe(effort)
  })

  test('whose caller leaves fails as that, and says nothing of the model', async () => {
    const hanging = open({ reply: scripts.silent })
    const caller = new AbortController()
    const failure = failureOf(collect(hanging.writer.search(over(), { signal: caller.signal })))
    await eventually(() => hanging.server.bodies.length > 0)
    caller.abort()
    expect((await failure).code).toBe('cancelled')
    expect((await hanging.writer.health()).backends[0]?.lastError).toBeUndefined()
    await hanging.dispose()
  })

  test('names its upstream to the ledger', async () => {
    const { value } = await writer.search(over(), live())[Symbol.asyncIterator]().next()
    expect(value).toEqual({ type: 'backend', name: 'gateway/ollama' })
  })

  test('calls the functions of the caller, whether it must or may', async () => {
    for (const toolChoice of ['required', 'auto'] as const) {
      const { reason, toolCalls } = await write({ tools, toolChoice })
      expect([reason, toolCalls.map(({ name }) => name)]).toEqual(['tool-calls', ['get_weather']])
      expect(sent()?.tool_choice).toBe(toolChoice)
    }
  })

  test('is asked once more where its JSON does not fit, and then fails', async () => {
    const schema = { type: 'object', properties: { summary: { type: 'string' } } }
    const before = server.bodies.length
    const { code, message } = await failureOf(write({ schema }))
    expect([code, server.bodies.length - before]).toEqual(['failed', 2])
    expect(message).toContain('The model wrote no JSON')
  })

  test('writes plain text, and makes no list', async () => {
    const { text, citations } = await collect(writer.search(requestFor('Hi', { want: 'text' }), live()))
    expect([text, citations]).toEqual([written, []])
    const requests = [over(), requestFor('q'), requestFor('q', { want: 'answer' }), requestFor('q', { sources })]
    expect(requests.map((request) => writer.supports?.(request))).toEqual([true, false, false, false])
    expect((await failureOf(collect(writer.search(requestFor('q'), live())))).code).toBe('invalid-request')
  })

  test.each([
    [400, 'failed'],
    [401, 'signed-out'],
    [402, 'rate-limited'],
    [404, 'unavailable'],
    [413, 'failed'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
  ] as const)(
    'that is refused with %d fails with %s, and tells others nothing that the provider said',
    async (status, code) => {
      await using broken = serveProvider({ reply: () => openAiError(status, 'Words about one caller.') })
      const upstream = chatUpstream({ name: 'ollama', baseUrl: broken.url, kind: 'other' })
      const shaped = { upstream, native: async () => undefined, name: 'ollama', isAnthropic: false, patterns: [] }
      const model = modelWriter('ollama/qwen3', { gateway: createGateway({ upstreams: [shaped] }), onCall() {} })
      const failure = await failureOf(collect(model.search(over(), live())))
      expect(failure.code).toBe(code)
      expect(failure.forOthers).toContain(`The model ollama/qwen3`)
      expect(failure.forOthers).not.toContain('Words about')
      expect((await model.health()).backends[0]?.lastError?.message).not.toContain('Words about')
    },
  )

  test("that quotes csp's prompt in its refusal shows its caller neither that nor where it is", async () => {
    const reply: ProviderScript['reply'] = ({ messages }) =>
      openAiError(400, `Bad template at http://10.0.0.7:11434/v1: ${JSON.stringify(messages)}`)
    await using broken = serveProvider({ reply })
    const upstream = chatUpstream({ name: 'ollama', baseUrl: broken.url, kind: 'other' })
    const shaped = { upstream, native: async () => undefined, name: 'ollama', isAnthropic: false, patterns: [] }
    const model = modelWriter('ollama/qwen3', { gateway: createGateway({ upstreams: [shaped] }), onCall() {} })
    const { message } = await failureOf(collect(model.search(over(), live())))
    expect(message).toContain('Bad template')
    expect(message.length).toBeLessThan(200)
    expect(message).not.toMatch(new RegExp(`10\\.0\\.0\\.7|127\\.0\\.0\\.1|${new URL(broken.url).port}`))
  })
})
