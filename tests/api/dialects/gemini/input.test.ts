import { describe, expect, test } from 'bun:test'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { testApp } from '../../test-app.ts'

const path = '/v1beta/models/gemini-2.5-flash:generateContent'
const user = (text: string) => ({ role: 'user', parts: [{ text }] })
const contents = [user('Why do bees hum?')]

async function read(body: object): Promise<SearchRequest> {
  const { post, executor } = testApp()
  const reply = await post(path, body)
  expect(reply).toMatchObject({ status: 200 })
  const [call] = executor.calls
  if (!call) throw new Error('Nothing was searched for.')
  return call.request
}

describe('a conversation', () => {
  test('has its instructions, its turns and its question', async () => {
    const request = await read({
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [
        user('Do bees sleep?'),
        { role: 'model', parts: [{ text: 'Let me think.', thought: true }, { text: 'Yes, ' }] },
        { role: 'model', parts: [{ text: 'at night.' }, { thoughtSignature: 'x' }] },
        { role: 'user', parts: [{ text: 'And' }, { text: 'wasps?' }] },
      ],
    })
    expect(request).toMatchObject({
      instructions: 'Be brief.\nBe kind.',
      history: [
        { role: 'user', text: 'Do bees sleep?' },
        { role: 'assistant', text: 'Yes, at night.' },
      ],
      query: 'And\nwasps?',
    })
  })

  test('has instructions as a text, too, and in snake case', async () => {
    expect(await read({ system_instruction: 'Be brief.', contents })).toMatchObject({ instructions: 'Be brief.' })
    const both = { system_instruction: 'Be long.', systemInstruction: 'Be brief.', contents }
    expect(await read(both)).toMatchObject({ instructions: 'Be brief.' })
  })

  test('with functions pairs each response with its call, by id or by name', async () => {
    const request = await read({
      contents: [
        ...contents,
        {
          role: 'model',
          parts: [
            { function_call: { name: 'look', args: { first_place: 1 } } },
            { functionCall: { name: 'look', args: {} } },
            { functionCall: { id: 'x9', name: 'go' } },
          ],
        },
        {
          role: 'function',
          parts: [
            { functionResponse: { id: 'x9', name: 'go', response: { some_key: 'gone' } } },
            { function_response: { name: 'look', response: { output: 'a' } } },
            { functionResponse: { name: 'look', response: { name: 'look', content: 'b' } } },
          ],
        },
      ],
      tools: [{ function_declarations: [{ name: 'look' }, { name: 'go' }] }],
    })
    expect(request.continuation).toEqual([
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { id: 'call-1', name: 'look', arguments: '{"first_place":1}' },
          { id: 'call-2', name: 'look', arguments: '{}' },
          { id: 'x9', name: 'go', arguments: '{}' },
        ],
      },
      { role: 'tool', text: '{"some_key":"gone"}', callId: 'x9' },
      { role: 'tool', text: 'a', callId: 'call-1' },
      { role: 'tool', text: 'b', callId: 'call-2' },
    ])
  })
})

test('a question that is too long for a query is given to the agent', async () => {
  const tools = [{ googleSearch: {} }]
  expect(await read({ contents: [user('bees '.repeat(700))], tools })).toMatchObject({ effort: 'standard' })
  expect(await read({ contents: [user('bees '.repeat(900))], tools })).toMatchObject({ effort: 'deep' })
})

test('a language has no effect without a search, and is named', async () => {
  const toolConfig = { retrievalConfig: { languageCode: 'de' } }
  const { headers } = await testApp().post(path, { contents, toolConfig })
  expect(headers.get('x-csp-ignored')).toBe('toolConfig.retrievalConfig.languageCode')
})

describe('tools', () => {
  test.each([
    'googleSearch',
    'google_search',
    'googleSearchRetrieval',
    'google_search_retrieval',
    'enterpriseWebSearch',
  ])('%s asks for a search', async (name) => {
    expect(await read({ contents, tools: [{ [name]: {} }] })).toMatchObject({ want: 'answer' })
  })

  test('filter the search by time, domains and language', async () => {
    const search = (timeRangeFilter: object) => ({
      contents,
      tools: [{ google_search: { time_range_filter: timeRangeFilter, exclude_domains: ['https://Spam.example/x'] } }],
      tool_config: { retrieval_config: { language_code: 'pt_BR' } },
    })
    const filters = { excludeDomains: ['spam.example'], language: 'pt-br' }
    const range = { start_time: '2026-01-31T12:00:00.5Z', end_time: '2026-03-01T00:00:00Z' }
    expect((await read(search(range))).filters).toEqual({
      ...filters,
      publishedAfter: '2026-01-31',
      publishedBefore: '2026-02-28',
    })
    const open = { startTime: '1970-01-01T00:00:00Z', endTime: '2026-03-01T01:00:00+02:00' }
    expect((await read(search(open))).filters).toEqual({ ...filters, publishedBefore: '2026-02-28' })
  })

  test('are functions with Google’s schemas, or with JSON Schema', async () => {
    const request = await read({
      contents,
      tools: [
        {
          functionDeclarations: [
            {
              name: 'look',
              description: 'Looks.',
              parameters: { type: 'OBJECT', properties: { max_count: { type: 'INTEGER' } } },
            },
          ],
        },
        { functionDeclarations: [{ name: 'go', parametersJsonSchema: { type: 'object', properties: { to: {} } } }] },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    })
    expect(request).toMatchObject({
      want: 'text',
      toolChoice: 'required',
      tools: [
        {
          name: 'look',
          description: 'Looks.',
          parameters: { type: 'object', properties: { max_count: { type: 'integer' } } },
        },
        { name: 'go', parameters: { type: 'object', properties: { to: {} } } },
      ],
    })
  })

  test.each([
    [{ mode: 'AUTO' }, 'auto', 2],
    [{ mode: 'VALIDATED' }, 'auto', 2],
    [{ mode: 'VALIDATED', allowedFunctionNames: ['go'] }, 'auto', 1],
    [{ mode: 'AUTO', allowedFunctionNames: ['go'] }, 'auto', 2],
    [{ mode: 'NONE' }, 'none', 2],
    [{ mode: 'ANY', allowedFunctionNames: ['go'] }, 'required', 1],
    [{}, undefined, 2],
  ])('are chosen as %j says', async (functionCallingConfig, toolChoice, count) => {
    const tools = [{ googleSearch: {} }, { functionDeclarations: [{ name: 'look' }, { name: 'go' }] }]
    const request = await read({ contents, tools, toolConfig: { functionCallingConfig } })
    expect(request).toMatchObject({ want: 'answer', tools: { length: count } })
    expect(request).toMatchObject(toolChoice === undefined ? {} : { toolChoice })
    expect('toolChoice' in request).toBe(toolChoice !== undefined)
  })
})

const image = { inline_data: { mime_type: 'image/png', data: 'AA==' } }
const config = (generationConfig: object) => ({ contents, generationConfig })
const call = { role: 'model', parts: [{ functionCall: { name: 'look' } }] }

test.each<[string, object, string]>([
  ['an image', { contents: [{ parts: [{ text: 'What is it?' }, image] }] }, 'contents[0].parts[1].inlineData'],
  ['a file', { contents: [{ parts: [{ fileData: { fileUri: 'gs://x' } }] }] }, 'contents[0].parts[0].fileData'],
  ['no contents', {}, 'contents'],
  ['empty contents', { contents: [] }, 'contents'],
  ['no text', { contents: [{ parts: [] }] }, 'contents[0].parts'],
  ['a wrong role', { contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
  [
    'an answer at the end',
    { contents: [...contents, { role: 'model', parts: [{ text: 'So.' }] }] },
    'contents[1].role',
  ],
  ['another tool', { contents, tools: [{ code_execution: {} }] }, 'tools[0].codeExecution'],
  [
    'a response without a call',
    { contents: [...contents, call, { parts: [{ functionResponse: { name: 'go' } }] }] },
    'contents[2].parts[0].functionResponse.name',
  ],
  [
    'an unknown function',
    {
      contents,
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['go'] } },
    },
    'toolConfig.functionCallingConfig.allowedFunctionNames',
  ],
  [
    'a range that ends before it begins',
    { contents, tools: [{ googleSearch: { timeRangeFilter: { startTime: '2026-02-01', endTime: '2026-01-01' } } }] },
    'tools[0].googleSearch.timeRangeFilter.endTime',
  ],
  [
    'a wrong time',
    { contents, tools: [{ googleSearch: { timeRangeFilter: { startTime: 'soon' } } }] },
    'tools[0].googleSearch.timeRangeFilter.startTime',
  ],
  ['several candidates', config({ candidateCount: 2 }), 'generationConfig.candidateCount'],
  ['pictures', config({ responseModalities: ['TEXT', 'IMAGE'] }), 'generationConfig.responseModalities'],
  ['another type', config({ responseMimeType: 'text/x.enum' }), 'generationConfig.responseMimeType'],
  ['a wrong schema', config({ responseSchema: { type: 'OBJEKT' } }), 'generationConfig.responseSchema'],
  ['a kept context', { contents, cachedContent: 'cachedContents/1' }, 'cachedContent'],
])('%s is refused with the name of the field, and costs no search', async (_, body, field) => {
  const { post, executor } = testApp()
  for (const method of ['generateContent', 'streamGenerateContent', 'countTokens']) {
    const reply = await post(`/v1beta/models/gemini-2.5-flash:${method}`, body)
    expect(reply.status).toBe(400)
    expect(reply.body.error).toMatchObject({
      code: 400,
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field }] }],
    })
    expect(reply.body.error.message).toContain(field)
  }
  expect(executor.calls).toHaveLength(0)
})
