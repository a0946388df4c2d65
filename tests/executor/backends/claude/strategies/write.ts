import { describe, expect, test } from 'bun:test'
import { collect } from '../../../../../src/domain/answer.ts'
import type { SearchRequest, SearchResult } from '../../../../../src/domain/search.ts'
import { composed } from '../../../../../src/executor/answer/composed.ts'
import { expectEventOrder } from '../../../../contract/event-order.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { type Fields, fakeExecutor, requestFor } from '../../../../support/fake-executor.ts'
import { claude } from './stand-in.ts'

const sources: readonly SearchResult[] = [
  { title: 'About seals', url: 'https://one.example/seals', snippet: 'They sleep.', source: 'searxng' },
  { title: 'More on seals', url: 'https://two.example/seals', publishedAt: '2026-01-02', source: 'searxng' },
]

const { sandbox } = claude

const write = (rest: Fields = {}) =>
  claude.executor.search(ask({ sources, ...rest }), { signal: new AbortController().signal })

describe('writing over the pages of another backend', () => {
  test('cites them in one model call and makes no search', async () => {
    const events = await Array.fromAsync(write())
    expectEventOrder(events)
    expect(events.find(({ type }) => type === 'search-results')).toMatchObject({ results: sources })
    const answer = await collect(write())
    expect(answer.text).toContain('About seals has something to say on it [1].')
    expect(answer.citations.map(({ url }) => url)).toEqual(['https://one.example/seals', 'https://two.example/seals'])
    expect(answer.usage).toMatchObject({ searches: 0, outputTokens: expect.any(Number) })
    expect(sandbox.stats().callsByKind).toMatchObject({ search: 0, decide: 0, write: 2 })
  })

  test('says that nothing was found where there are none, without a model call and a search', async () => {
    const before = sandbox.stats().calls
    const answer = await collect(write({ sources: [] }))
    expect({ said: answer.text !== '', searches: answer.usage.searches }).toEqual({ said: true, searches: 0 })
    expect(sandbox.stats().calls).toBe(before)
  })

  test('contains no URL that the pages do not have', async () => {
    sandbox.configure({ scenario: 'invented-url' })
    const { text } = await collect(write())
    expect(text).toContain('a page that nobody found')
    expect(text).not.toMatch(/https?:/)
  })

  test('gives the model the conversation, the instructions and the pages', async () => {
    const history = [
      { role: 'user', text: 'Do whales sing?' },
      { role: 'assistant', text: 'They do.' },
    ] as const
    await collect(write({ history, instructions: 'Rhyme.' }))
    const prompt = JSON.stringify(sandbox.requests().at(-1)?.body.messages)
    for (const said of ['Do whales sing?', 'Rhyme.', 'https://two.example/seals', 'They sleep.']) {
      expect(prompt).toContain(said)
    }
  })

  test('ends at a stop sequence', async () => {
    expect((await collect(write({ stop: [' has something'] }))).text).toEndWith('About seals')
  })

  test('returns JSON by a schema', async () => {
    const schema = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] }
    expect(JSON.parse((await collect(write({ schema }))).text)).toEqual({ url: 'https://one.example/seals' })
  })

  test("calls the caller's tools", async () => {
    sandbox.configure({ scenario: 'use-tool' })
    const parameters = { type: 'object', properties: { place: { type: 'string' } } }
    const { toolCalls, reason } = await collect(write({ tools: [{ name: 'weather', parameters }] }))
    expect({ names: toolCalls.map(({ name }) => name), reason }).toEqual({ names: ['weather'], reason: 'tool-calls' })
  })
})

test('composed() has Claude write over the pages of another backend', async () => {
  const lister = Object.assign(fakeExecutor(), { supports: ({ want }: SearchRequest) => want === 'results' })
  const executor = composed(lister, { writers: [claude.executor] })
  const events = await Array.fromAsync(executor.search(ask(), { signal: new AbortController().signal }))
  expectEventOrder(events)
  const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  expect(text).toStartWith('Sandbox answer: all of this is invented.')
  expect(text).toContain('[2]')
})

// The last of these, since csp ends every process of a login that is lost.
test('writing over the pages of another backend fails like a search, and its health reports the error', async () => {
  sandbox.configure({ scenario: 'error-401' })
  expect((await failureOf(collect(write()))).code).toBe('signed-out')
  expect((await claude.executor.health()).backends[0]?.lastError?.code).toBe('signed-out')
})

function ask(rest: Fields = {}): SearchRequest {
  return requestFor('What are seals?', { want: 'answer', effort: 'standard', ...rest })
}
