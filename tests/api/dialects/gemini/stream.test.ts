import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { answered } from '../../../support/scripted-executor.ts'
import { framesOf, type TestApp, testApp } from '../../test-app.ts'

const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent'
const body = JSON.stringify({ contents: [{ parts: [{ text: 'Why do bees hum?' }] }], tools: [{ googleSearch: {} }] })
const ask = (app: TestApp, query = '') => app.request(`${path}${query}`, { method: 'POST', body })

const textOf = (chunk: { candidates: { content: { parts: { text: string }[] } }[] }) =>
  chunk.candidates[0]?.content.parts[0]?.text

describe.each([
  [
    '?alt=sse',
    'text/event-stream',
    (text: string) => framesOf(text.replaceAll('\r', '')).map((data) => JSON.parse(data)),
  ],
  ['', 'application/json', (text: string) => JSON.parse(text)],
])('streamGenerateContent%s', (query, type, chunksIn) => {
  test(`is ${type}: text in pieces, then the reason with the sources`, async () => {
    const app = testApp()
    const response = await ask(app, query)
    expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    const chunks = chunksIn(await response.text())
    expect(chunks.map(textOf)).toEqual(['It is 🙂 so', '.', ''])
    expect(chunks[0]).toEqual({
      candidates: [{ content: { parts: [{ text: 'It is 🙂 so' }], role: 'model' }, index: 0 }],
      modelVersion: 'gemini-2.5-flash',
      responseId: 'id-1',
    })
    const { candidates, ...rest } = chunks.at(-1)
    expect(candidates[0]).toMatchObject({
      finishReason: 'STOP',
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://site2.example/docs/page' } }],
        groundingSupports: [{ segment: { startIndex: 0, endIndex: 13 }, groundingChunkIndices: [0] }],
      },
    })
    expect(rest.usageMetadata.totalTokenCount).toBe(120)
    expect(app.log).toMatchObject([{ dialect: 'gemini', status: 200, searches: 1, outputTokens: 20 }])
  })

  test('is well formed with heartbeats before it and in it', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const waits = gates.map(
      ({ promise }) =>
        () =>
          promise,
    )
    const [first, second] = waits
    if (!first || !second) throw new Error('No waits.')
    const app = testApp([first, ...answered.slice(0, 4), second, ...answered.slice(4)], {
      commitAfterMs: 1,
      heartbeatMs: 1,
    })
    const response = await ask(app, query)
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let text = ''
    let pieces = 0
    for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
      text += decoder.decode(step.value, { stream: true })
      if (++pieces === 5) gates[0]?.resolve()
      if (pieces === 12) gates[1]?.resolve()
    }
    expect(text).not.toContain(':\u0020ping')
    expect(text).toMatch(query ? /^data: {3,}\{/ : /^\n{3,}\[/)
    expect(chunksIn(text).map(textOf)).toEqual(['It is 🙂 so', '.', ''])
  })

  test('with a failure before its first piece has a status of its own', async () => {
    const response = await ask(testApp([new SearchError('signed-out', 'Sign in.')]), query)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ error: { code: 503, message: 'Sign in.', status: 'UNAVAILABLE' } })
  })
})

const broken = [...answered.slice(0, 4), new SearchError('rate-limited', 'Used up.', { retryAfterSeconds: 3 })]
const failure = {
  error: {
    code: 429,
    message: 'Used up. Try again in 3 s.',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3s' }],
  },
}

test('a stream of events that fails ends with the error, as an event and bare behind it', async () => {
  const text = await (await ask(testApp(broken), '?alt=sse')).text()
  const [event, bare] = text.trimEnd().split('\r\n\r\n').slice(-2)
  expect(JSON.parse(event?.replace(/^data: /, '') ?? '')).toEqual(failure)
  expect(JSON.parse(bare ?? '')).toEqual(failure)
})

test('a list that fails ends with the error as its last item', async () => {
  const items = JSON.parse(await (await ask(testApp(broken))).text())
  expect(items.at(-1)).toEqual(failure)
})

test('calls of functions come whole, in the last piece', async () => {
  const events: readonly SearchEvent[] = [
    { type: 'text-delta', text: 'I look.' },
    { type: 'tool-call-start', id: 'c1', name: 'look' },
    { type: 'tool-call-delta', id: 'c1', arguments: '{"at":' },
    { type: 'tool-call-delta', id: 'c1', arguments: '"bees"}' },
    { type: 'done', reason: 'tool-calls', usage: { searches: 0, inputTokens: 1, outputTokens: 1 }, model: 'x' },
  ]
  const chunks = JSON.parse(await (await ask(testApp(events))).text())
  expect(chunks.map((chunk: { candidates: { content: object }[] }) => chunk.candidates[0]?.content)).toEqual([
    { parts: [{ text: 'I look.' }], role: 'model' },
    {
      parts: [{ functionCall: { id: 'c1', name: 'look', args: { at: 'bees' } }, thoughtSignature: 'Y3Nw' }],
      role: 'model',
    },
  ])
})
