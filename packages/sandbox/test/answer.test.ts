import { expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import type { Scenario } from '../src/scenario.ts'
import { sampleRequests } from './sample-requests.ts'
import { foldEvents, readEvents } from './stream-fold.ts'
import { createSandbox, type SandboxOptions } from './support/recorded-sandbox.ts'

// One call that searches with the server tool and writes: the main call of the CLI, or an answer of the Messages API.

const ask = sampleRequests.answer('What are harbour seals?')

test('a call that searches and writes has the asked question as its query, rows, and text with citations of them', async () => {
  const { blocks, results, text, citations, stop_reason, usage, kind } = await reply(ask)
  expect([kind, stop_reason, usage]).toEqual(['answer', 'end_turn', { web_search_requests: 1 }])
  expect(blocks.slice(0, 3).map(({ type }) => type)).toEqual(['server_tool_use', 'web_search_tool_result', 'text'])
  expect(blocks[0]).toMatchObject({ name: 'web_search', input: { query: 'What are harbour seals?' } })
  expect(results[0]).toMatchObject({ title: 'Sandbox: What are harbour seals' })
  expect(citations.map(({ url }) => url)).toEqual(results.slice(0, 4).map(({ url }) => url))
  // What is cited is said.
  for (const { cited_text } of citations) expect(text).toContain(cited_text)
  expect(text).not.toMatch(/https?:/)
})

test('the question is found without tags, too: csp writes what it wishes below', async () => {
  const content = 'harbour seals\n\n<schema>\n{"type":"object"}\n</schema>\n\nWrite JSON.'
  const { blocks } = await reply({ ...ask, messages: [{ role: 'user', content }] })
  expect(blocks[0]).toMatchObject({ input: { query: 'harbour seals' } })
})

test('the query streams as the model writes it, and each citation before its text', async () => {
  const events = await readEvents(await createSandbox().fetch(post(ask)))
  const deltas = events.flatMap(({ delta }) => (typeof delta?.['type'] === 'string' ? [delta] : []))
  expect(deltas.filter(({ type }) => type === 'input_json_delta').length).toBeGreaterThan(1)
  const first = deltas.findIndex(({ type }) => type === 'citations_delta')
  expect([deltas[first]?.['citation'], deltas[first + 1]?.['type']]).toMatchObject([
    { type: 'web_search_result_location', title: expect.any(String), encrypted_index: expect.any(String) },
    'text_delta',
  ])
  expect(foldEvents(events)).toMatchObject({ stop_reason: 'end_turn' })
})

test('a second search counts towards what the tool allows', async () => {
  const twice = async (maxUses: number) => {
    const { found } = await reply(sampleRequests.answer('Seals?', { maxUses }), 'search-twice')
    return found.map((content) => (Array.isArray(content) ? content.length : content))
  }
  expect(await twice(2)).toEqual([8, 8])
  expect(await twice(1)).toEqual([8, { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }])
})

test.each<[Scenario, object]>([
  ['no-search', { found: [], citations: [], stop_reason: 'end_turn' }],
  ['no-citations', { found: [expect.any(Array)], citations: [], text: expect.stringContaining('invented') }],
  ['non-compliant', { citations: [], text: expect.stringContaining('](https://') }],
  [
    'search-too-many-requests',
    { found: [expect.objectContaining({ error_code: 'too_many_requests' })], citations: [] },
  ],
  ['search-unavailable', { found: [expect.objectContaining({ error_code: 'unavailable' })] }],
  ['empty', { found: [[]], text: 'Sandbox answer: no pages were found.' }],
  ['refusal', { found: [], stop_reason: 'refusal' }],
  ['refusal-after-search', { found: [expect.any(Array)], citations: [], stop_reason: 'refusal' }],
  ['max-tokens', { found: [expect.any(Array)], stop_reason: 'max_tokens' }],
  ['pause-turn', { found: [expect.any(Array)], text: '', stop_reason: 'pause_turn' }],
])('in the scenario %s it is as the real API would have it', async (scenario, expected) => {
  expect(await reply(ask, scenario)).toMatchObject(expected)
})

test('behind a pause it writes over the pages that came back, and searches no more', async () => {
  const { blocks } = await reply(ask, 'pause-turn')
  const since = [
    { role: 'assistant', content: blocks },
    { role: 'user', content: 'Go on.' },
  ]
  const whole = await reply(ask)
  const continued = await reply(sampleRequests.answer('What are harbour seals?', { since }))
  expect(continued).toMatchObject({ found: [], text: whole.text, usage: { web_search_requests: 0 } })
  expect(continued.citations.map(({ url, cited_text }) => [url, cited_text])).toEqual(
    whole.citations.map(({ url, cited_text }) => [url, cited_text]),
  )
})

test('the tool or its results may be refused there, and are not where a search is all that is wanted', async () => {
  const status = async (body: MessagesRequest) => {
    const response = await createSandbox({ scenario: 'tool-refused' }).fetch(post(body))
    return [response.status, (await response.text()).includes('web_search_20250305')]
  }
  expect(await status(ask)).toEqual([400, true])
  expect((await status(sampleRequests.search('Seals')))[0]).toBe(200)
  const search = await reply(sampleRequests.search('Seals'), 'refusal-after-search')
  expect(search.stop_reason).toBe('end_turn')
})

test('a rule for calls of another kind plays there, too, and one for this kind nowhere else', async () => {
  const kinds = async (kind: 'write' | 'answer') => {
    const { fetch } = createSandbox({ scenario: [{ kind, scenario: 'error-529' }] })
    const { status } = await fetch(post(ask))
    return [status, (await fetch(post(sampleRequests.write('Seals?')))).status]
  }
  expect(await kinds('write')).toEqual([529, 529])
  expect(await kinds('answer')).toEqual([529, 200])
})

test('recites sentences with what the question says is cited', async () => {
  const recited = 'It rained. [2: “Rain fell.”] It snowed. [1] It hailed. [0]'
  const { text, citations, results } = await reply(sampleRequests.answer(recited), 'recite')
  expect(text).toBe('It rained. It snowed. ')
  expect(citations.map(({ url }) => url)).toEqual([results[1]?.url ?? '', results[0]?.url ?? ''])
  expect(citations[0]?.cited_text).toBe('Rain fell.')
})

test("a caller's tool is called where the question asks for it, with the search tool beside it", async () => {
  const tools = [{ name: 'mcp__client__get_weather', description: 'The weather of a city.', input_schema: {} }]
  const { blocks, stop_reason } = await reply(sampleRequests.answer('What is the weather in Bergen?', { tools }))
  expect([blocks.at(-1)?.['name'], stop_reason]).toEqual(['mcp__client__get_weather', 'tool_use'])
  const behind = await reply(sampleRequests.answer('What are seals?', { tools }), 'use-tool')
  const types = behind.blocks.map(({ type }) => type)
  expect(types).toEqual(['server_tool_use', 'web_search_tool_result', 'tool_use'])
})

const message = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string(),
  usage: z.object({ server_tool_use: z.record(z.string(), z.number()) }),
})
const citationList = z.array(z.object({ url: z.string(), cited_text: z.string() }))
const resultList = z.array(z.object({ title: z.string(), url: z.string() }))

async function reply(body: MessagesRequest, scenario: Scenario = 'ok', options: SandboxOptions = {}) {
  const sandbox = createSandbox({ ...options, scenario })
  const { content, stop_reason, usage } = message.parse(
    await (await sandbox.fetch(post({ ...body, stream: false }))).json(),
  )
  const found = content.filter(({ type }) => type === 'web_search_tool_result').map((block) => block['content'])
  return {
    blocks: content,
    found,
    results: resultList.safeParse(found[0]).data ?? [],
    text: content.map(({ text }) => text ?? '').join(''),
    citations: content.flatMap((block) => citationList.safeParse(block['citations']).data ?? []),
    stop_reason,
    usage: usage.server_tool_use,
    kind: sandbox.requests().at(-1)?.kind,
  }
}

function post(body: MessagesRequest): Request {
  return new Request('http://sandbox/v1/messages', { method: 'POST', body: JSON.stringify(body) })
}
