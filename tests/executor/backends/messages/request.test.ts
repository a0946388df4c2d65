import { describe, expect, test } from 'bun:test'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import {
  type MessagesBrief,
  messagesBody,
  messagesOf,
  mustSearch,
} from '../../../../src/executor/backends/messages/request.ts'
import { type Fields, requestFor } from '../../../support/fake-executor.ts'

const brief: MessagesBrief = {
  ...{ model: 'm', excerpts: 'lines', searchTool: 'web_search_20260318', now: new Date('2026-03-15T12:00:00Z') },
}
const source = { title: 'T', url: 'https://a.example/', snippet: 'They dive.', source: 'fake' }
const look = { name: 'look_up', description: 'Looks.', parameters: { properties: {} } } as const
const offered = { name: 'look_up', description: 'Looks.', input_schema: { type: 'object', properties: {} } }
const search = (more: object) => ({
  ...{ type: 'web_search_20260318', name: 'web_search', allowed_callers: ['direct'] },
  ...more,
})
const auto = { type: 'auto' }

/** The body without its messages and the rest of its system prompts. */
function bodyFor(rest: Fields, more: Partial<MessagesBrief> = {}) {
  const request = requestFor('seals', rest)
  const {
    messages: _,
    stream,
    model,
    system,
    ...body
  } = messagesBody(request, [], { ...brief, ...more }) as Record<string, unknown>
  expect([stream, model]).toEqual([true, 'm'])
  const starts = (system as { text: string }[] | undefined)?.map(({ text }) => text.slice(0, 12))
  return { ...body, ...(starts && { system: starts }) }
}

describe('the body of a call', () => {
  test.each<[string, Fields, object]>([
    [
      'a list',
      { instructions: 'Be brief.', tools: [look] as never },
      { max_tokens: 2048, system: ['You run web '], tools: [search({ max_uses: 1 })], tool_choice: auto },
    ],
    [
      'a fast answer',
      { want: 'answer' },
      { max_tokens: 2048, system: ['You answer q'], tools: [search({ max_uses: 1 })], tool_choice: auto },
    ],
    [
      'a standard answer',
      { want: 'answer', effort: 'standard' },
      { max_tokens: 4096, system: ['You answer q'], tools: [search({ max_uses: 3 })], tool_choice: auto },
    ],
    [
      'a deep answer of some sites of a country, with so many searches',
      {
        want: 'answer',
        effort: 'deep',
        maxSearches: 5,
        filters: { includeDomains: ['a.example'], excludeDomains: ['b.example'], country: 'DE', city: 'Ulm' },
      },
      {
        ...{ max_tokens: 8192, system: ['You answer q'], tool_choice: auto },
        tools: [
          search({
            max_uses: 5,
            allowed_domains: ['a.example'],
            user_location: { type: 'approximate', city: 'Ulm', country: 'DE' },
          }),
        ],
      },
    ],
    [
      'an answer without some sites, of any country',
      { want: 'answer', filters: { excludeDomains: ['b.example'], country: 'ALL' } },
      {
        max_tokens: 2048,
        system: ['You answer q'],
        tools: [search({ max_uses: 1, blocked_domains: ['b.example'] })],
        tool_choice: auto,
      },
    ],
    [
      'an answer over pages',
      { want: 'answer', sources: [source], instructions: 'Be brief.' },
      { max_tokens: 2048, system: ['You write an', 'Be brief.'] },
    ],
    [
      'an answer in JSON',
      { want: 'answer', schema: { type: 'object' } },
      { max_tokens: 8192, system: ['You answer q'], tools: [search({ max_uses: 1 })], tool_choice: auto },
    ],
    [
      'an answer with a tool',
      { want: 'answer', tools: [look] as never },
      { max_tokens: 8192, system: ['You answer q'], tools: [search({ max_uses: 1 }), offered], tool_choice: auto },
    ],
    [
      'an answer that must call a tool',
      { want: 'answer', tools: [look] as never, toolChoice: 'required' },
      { max_tokens: 8192, system: ['You answer q'], tools: [offered], tool_choice: { type: 'any' } },
    ],
    [
      'an answer that may call no tool',
      { want: 'answer', tools: [look] as never, toolChoice: 'none' },
      { max_tokens: 8192, system: ['You answer q'], tools: [search({ max_uses: 1 })], tool_choice: auto },
    ],
    ['a text', { want: 'text' }, { max_tokens: 8192 }],
    [
      'a text that must call this tool',
      { want: 'text', tools: [look, { ...look, name: 'web_search' }] as never, toolChoice: { name: 'web_search' } },
      {
        max_tokens: 8192,
        tools: [offered, { ...offered, name: 'client_web_search' }],
        tool_choice: { type: 'tool', name: 'client_web_search' },
      },
    ],
    [
      'a text that may call no tool',
      { want: 'text', tools: [look] as never, toolChoice: 'none' },
      { max_tokens: 8192, tools: [offered], tool_choice: { type: 'none' } },
    ],
  ])('has what the request needs, and nothing else: %s', (_, rest, expected) => {
    expect(bodyFor(rest)).toEqual(expected as never)
  })

  test('of a list without excerpts has few tokens, and of the oldest search tool no newer field', () => {
    const { max_tokens, tools } = bodyFor({}, { excerpts: 'none', searchTool: 'web_search_20250305' }) as never
    expect(max_tokens).toBe(256 as never)
    expect(tools).toEqual([{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] as never)
  })
})

test('no tool must be called where none is offered', () => {
  const toolChoice = 'required' as const
  expect(bodyFor({ tools: [look] as never, toolChoice })).toMatchObject({ tool_choice: auto })
  expect(bodyFor({ want: 'answer', toolChoice })).toMatchObject({ tool_choice: auto })
})

test('a search is needed where neither pages are known nor a text alone is wanted, and no tool must be called', () => {
  const must = (rest: Fields) => mustSearch(requestFor('q', rest))
  expect(
    [{}, { want: 'answer' }, { want: 'text' }, { want: 'answer', sources: [] }].map((rest) => must(rest as never)),
  ).toEqual([...[true, true, false, false]])
  expect(must({ want: 'answer', tools: [look] as never, toolChoice: 'required' })).toBe(false)
})

describe('the messages of a call', () => {
  const textsOf = (rest: Fields) =>
    messagesOf(requestFor('seals', rest), brief).map(({ role, content }) => [
      role,
      content.map((block) => ('text' in block ? block['text'] : block)),
    ])
  const week = { filters: { freshness: 'week' } } as const

  test.each<[string, Fields, string]>([
    ['a question', { want: 'answer' }, 'seals'],
    [
      'a question with filters and known pages',
      { want: 'answer', ...week, exclude: ['https://b.example/'] },
      'seals\n\nOnly pages published in the past week, since 2026-03-08.\nFind other pages than these, which are known already: https://b.example/',
    ],
    ['a text, whose filters say nothing', { want: 'text', ...week, exclude: ['https://b.example/'] }, 'seals'],
    [
      'a text over pages',
      { want: 'text', sources: [source] },
      '<sources>\n[1] T — https://a.example/\n    They dive.\n</sources>\n\n<question>\nseals\n</question>',
    ],
    [
      'an answer over pages, with notes',
      { want: 'answer', sources: [source], notes: 'N.', ...week },
      '<sources>\n[1] T — https://a.example/\n    They dive.\n</sources>\n\n<notes>\nN.\n</notes>\n\n<question>\nseals\n</question>\n\nAnswer the question from the sources.',
    ],
    ['notes without pages, which say nothing', { want: 'answer', notes: 'N.' }, 'seals'],
  ])('say just what the request has: %s', (_, rest, text) => {
    expect(textsOf(rest)).toEqual([['user', [text]]])
  })

  test('begin with the user, leave out what is empty, and have each call with its result', () => {
    const call = (id: string) => ({ id, name: 'look_up', arguments: '{"a":1}' })
    const history: SearchRequest['history'] = [
      { role: 'assistant', text: 'Hello. ' },
      { role: 'user', text: ' ' },
      { role: 'assistant', text: ' ', toolCalls: [call('a:1'), call('lost')] },
      { role: 'tool', callId: 'a:1', text: 'Sun.' },
      { role: 'tool', callId: 'unknown', text: 'Rain.' },
      { role: 'assistant', text: '' },
    ]
    expect(textsOf({ want: 'text', history })).toEqual([
      ['user', ['(The conversation so far.)']],
      ['assistant', ['Hello.', { type: 'tool_use', id: 'a_1', name: 'look_up', input: { a: 1 } }]],
      ['user', [{ type: 'tool_result', tool_use_id: 'a_1', content: 'Sun.' }, 'A tool gave: Rain.', 'seals']],
    ])
  })
})
