import { describe, expect, test } from 'bun:test'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { answered, pages } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1beta/models/gemini-2.5-flash:generateContent'
const contents = [{ role: 'user', parts: [{ text: 'Why do bees hum?' }] }]
const tools = [{ googleSearch: {} }]
const done = { type: 'done', usage: { searches: 0, inputTokens: 7, outputTokens: 3 }, model: 'x' } as const

describe('generateContent', () => {
  test('has Gemini’s fields, a text without markers, and the sources that it cites', async () => {
    const { status, body } = await testApp().post(path, { contents, tools })
    expect(status).toBe(200)
    expect(body).toEqual({
      candidates: [
        {
          content: { parts: [{ text: 'It is 🙂 so.' }], role: 'model' },
          finishReason: 'STOP',
          index: 0,
          groundingMetadata: {
            webSearchQueries: ['what was asked'],
            groundingChunks: [{ web: { uri: 'https://site2.example/docs/page', title: 'Page 2' } }],
            groundingSupports: [
              { segment: { startIndex: 0, endIndex: 13, text: 'It is 🙂 so' }, groundingChunkIndices: [0] },
            ],
          },
        },
      ],
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
      modelVersion: 'gemini-2.5-flash',
      responseId: 'id-1',
    })
  })

  test('answers what OpenClaw sends with what OpenClaw reads', async () => {
    const { post, executor } = testApp()
    const query = 'bun release notes'
    const { status, headers, body } = await post(
      '/v1beta/models/gemini-3.6-flash:generateContent',
      {
        contents: [{ parts: [{ text: query }] }],
        tools: [
          {
            google_search: { timeRangeFilter: { startTime: '2026-11-13T10:00:00Z', endTime: '2026-11-20T10:00:00Z' } },
          },
        ],
      },
      { 'x-goog-api-key': 'local', 'content-type': 'application/json' },
    )
    expect([status, headers.get('x-csp-ignored')]).toEqual([200, null])
    const [candidate] = body.candidates
    const content = candidate.content.parts.map((part: { text: string }) => part.text).join('\n')
    expect(content).toBe('It is 🙂 so.')
    const citations = candidate.groundingMetadata.groundingChunks.map(({ web }: { web: object }) => web)
    expect(citations).toEqual([{ uri: 'https://site2.example/docs/page', title: 'Page 2' }])
    expect(executor.calls[0]?.request).toMatchObject({
      query,
      want: 'answer',
      effort: 'standard',
      filters: { publishedAfter: '2026-11-13', publishedBefore: '2026-11-20' },
    })
  })

  test('names all pages that were found where the text cites none', async () => {
    const events = answered.filter(({ type }) => type !== 'citation')
    const { body } = await testApp(events).post(path, { contents, tools })
    const { groundingChunks, groundingSupports } = body.candidates[0].groundingMetadata
    expect(groundingChunks.map(({ web }: { web: { uri: string } }) => web.uri)).toEqual(pages(3).map(({ url }) => url))
    expect(groundingSupports).toEqual([])
  })

  test('without Google Search is plain inference, and claims no sources', async () => {
    const events: SearchEvent[] = [
      { type: 'text-delta', text: 'A list[1] of bees.' },
      { ...done, reason: 'stop' },
    ]
    const { post, executor } = testApp(events)
    const { body } = await post(path, { contents })
    expect(executor.calls[0]?.request.want).toBe('text')
    expect(body.candidates[0]).toEqual({
      content: { parts: [{ text: 'A list[1] of bees.' }], role: 'model' },
      finishReason: 'STOP',
      index: 0,
    })
  })

  test.each([
    ['length', 'MAX_TOKENS'],
    ['refusal', 'SAFETY'],
  ] as const)('whose reason is %s has the finishReason %s', async (reason, told) => {
    const { body } = await testApp([
      { type: 'text-delta', text: 'No' },
      { ...done, reason },
    ]).post(path, { contents })
    expect(body.candidates[0].finishReason).toBe(told)
  })

  test('returns calls of functions as parts, with their arguments as objects', async () => {
    const events: SearchEvent[] = [
      { type: 'tool-call-start', id: 'c1', name: 'get_weather' },
      { type: 'tool-call-delta', id: 'c1', arguments: '{"place":' },
      { type: 'tool-call-delta', id: 'c1', arguments: '"Bern"}' },
      { type: 'tool-call-start', id: 'c2', name: 'now' },
      { ...done, reason: 'tool-calls' },
    ]
    const { body } = await testApp(events).post(path, { contents })
    expect(body.candidates[0]).toMatchObject({
      content: {
        parts: [
          { functionCall: { id: 'c1', name: 'get_weather', args: { place: 'Bern' } }, thoughtSignature: 'Y3Nw' },
          { functionCall: { id: 'c2', name: 'now', args: {} } },
        ],
      },
      finishReason: 'STOP',
    })
  })

  test.each([
    ['/v1beta/models/gemini-flash-lite-latest', 'fast'],
    ['/v1/models/gemini-2.5-flash', 'standard'],
    ['/models/gemini-2.5-flash-lite', 'fast'],
    ['/gemini/models/gemini-3-pro-preview', 'deep'],
    ['/gemini/v1beta/models/google/gemini-2.5-flash', 'standard'],
    ['/v1beta/models/sonar', 'fast'],
    ['/v1beta/models/opus', 'standard'],
  ])('at %s is an answer of %s effort', async (base, effort) => {
    const { post, executor } = testApp()
    const { status, body } = await post(`${base}:generateContent`, { contents, tools })
    expect(status).toBe(200)
    expect(body.modelVersion).toBe(base.replace(/^.*?models\//, ''))
    expect(executor.calls[0]?.request).toMatchObject({ want: 'answer', effort })
  })

  test('is found by a client that encodes the colon', async () => {
    const { status, body } = await testApp().post('/v1/models/gemini-2.5-flash%3AgenerateContent', { contents, tools })
    expect([status, body.modelVersion]).toEqual([200, 'gemini-2.5-flash'])
  })

  test('of a sonar model searches without the tool', async () => {
    const { post, executor } = testApp()
    await post('/v1beta/models/sonar-pro:generateContent', { contents })
    expect(executor.calls[0]?.request.want).toBe('answer')
  })

  test('holds a text to a schema', async () => {
    const { post, executor } = testApp([
      { type: 'text-delta', text: '{"a":1}' },
      { ...done, reason: 'stop' },
    ])
    const responseSchema = {
      type: 'OBJECT',
      properties: {
        any_name: { type: 'STRING', nullable: true, enum: ['x'] },
        rows: { type: 'ARRAY', items: { any_of: [{ type: 'INTEGER' }, { type: 'NUMBER' }] }, minItems: '2' },
      },
      propertyOrdering: ['rows', 'any_name'],
      required: ['any_name'],
    }
    await post(path, { contents, generationConfig: { responseMimeType: 'application/json', responseSchema } })
    const schema = {
      type: 'object',
      properties: {
        any_name: { type: ['string', 'null'], enum: ['x', null] },
        rows: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'number' }] }, minItems: 2 },
      },
      required: ['any_name'],
    }
    expect(executor.calls[0]?.request.schema).toEqual(schema)
    await post(path, { contents, generation_config: { response_json_schema: schema } })
    expect(executor.calls[1]?.request.schema).toEqual(schema)
    await post(path, { contents, generationConfig: { responseMimeType: 'application/json' } })
    expect(executor.calls[2]?.request.schema).toEqual({ type: ['object', 'array'] })
  })
})

test('urlContext has the pages read that the user names last, whole and streamed', async () => {
  const pages = fakePageReader({ 'https://bees.example/hum': 'Bees hum at 230 Hz.' })
  const { request, executor, log } = testApp(undefined, { pages })
  const body = {
    contents: [
      { role: 'user', parts: [{ text: 'Read https://bees.example/first.' }] },
      { role: 'model', parts: [{ text: 'See https://bees.example/second.' }] },
      { role: 'user', parts: [{ text: 'Compare https://bees.example/hum, and (https://bees.example/gone).' }] },
    ],
    tools: [{ url_context: {} }],
  }
  const base = '/v1beta/models/gemini-2.5-flash'
  const init = { method: 'POST', body: JSON.stringify(body) }
  const whole = await request(`${base}:generateContent`, init)
  expect(whole.headers.get('x-csp-ignored')).toBeNull()
  const urlContextMetadata = {
    urlMetadata: [
      { retrievedUrl: 'https://bees.example/hum', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_SUCCESS' },
      { retrievedUrl: 'https://bees.example/gone', urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' },
    ],
  }
  expect(await whole.json()).toMatchObject({ candidates: [{ urlContextMetadata }] })
  const streamed: unknown[] = await (await request(`${base}:streamGenerateContent`, init)).json()
  expect(streamed.at(-1)).toMatchObject({ candidates: [{ urlContextMetadata }] })
  for (const { want, history } of executor.requests) {
    expect(want).toBe('text')
    expect(history.at(-1)?.text).toContain('Bees hum at 230 Hz.')
  }
  expect(log).toMatchObject([{ pages: 1, unread: 1 }, {}])
})

test('countTokens estimates the tokens of a prompt, whole or in its wrapping', async () => {
  const { post, executor } = testApp()
  const systemInstruction = { parts: [{ text: 'Be brief, whatever is asked.' }] }
  const whole = await post('/v1beta/models/gemini-flash-latest:countTokens', { contents, systemInstruction })
  const wrapped = await post('/v1beta/models/gemini-flash-latest:countTokens', {
    generate_content_request: { model: 'models/gemini-flash-latest', contents, systemInstruction },
  })
  expect(whole.body).toEqual({ totalTokens: 13, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 13 }] })
  expect(wrapped.body).toEqual(whole.body)
  expect(executor.calls).toHaveLength(0)
})

test('the models are listed in Google’s shape, and one is described', async () => {
  const { get } = testApp(undefined, { models: { mine: { effort: 'fast' }, '*': { effort: 'deep' } } })
  const mine = {
    name: 'models/mine',
    baseModelId: 'mine',
    version: '1',
    displayName: 'mine',
    description: 'claude-search-proxy',
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
  expect((await get('/v1beta/models?pageSize=50')).body).toEqual({ models: [mine] })
  expect((await get('/gemini/v1beta/models/mine')).body).toEqual(mine)
  expect((await get('/v1beta/models/gemini-9-flash')).body.name).toBe('models/gemini-9-flash')
  for (const path of ['/v1/models', '/models']) {
    expect((await get(path)).body).toMatchObject({ data: [{ id: 'mine' }] })
    expect((await get(path, { 'x-goog-api-key': 'local' })).body).toEqual({ models: [mine] })
    expect((await get(`${path}/mine`, { 'x-goog-api-client': 'google-genai-sdk/3' })).body).toEqual(mine)
  }
  expect((await testApp().get('/v1beta/models/gemini-embedding-001')).body.error).toMatchObject({
    code: 404,
    status: 'NOT_FOUND',
  })
})
