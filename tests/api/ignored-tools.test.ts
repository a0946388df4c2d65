import { describe, expect, test } from 'bun:test'
import { testApp } from './test-app.ts'

const messages = [{ role: 'user', content: 'bees' }]
const searching = (path: string, type: string, more: object, body: object) =>
  testApp().post(path, { ...body, tools: [{ type, ...more }] })
const chat = (more: object) => searching('/v1/chat/completions', 'web_search', more, { model: 'sonar', messages })
const responses = (more: object) => searching('/v1/responses', 'web_search', more, { model: 'sonnet', input: 'bees' })
const anthropic = (more: object) =>
  searching(
    '/v1/messages',
    'web_search_20250305',
    { name: 'web_search', ...more },
    {
      ...{ model: 'sonnet', max_tokens: 99, messages },
    },
  )
const agent = (more: object) => searching('/v1/agent', 'web_search', more, { model: 'openai/gpt-5', input: 'bees' })
/** What the header names of tools. */
const inTools = (headers: Headers) =>
  (headers.get('x-csp-ignored') ?? '').split(', ').filter((name) => name.startsWith('tools'))
const apis = Object.entries({ chat, responses, anthropic, agent })

describe.each(apis)('a field in a search tool of %s', (_, post) => {
  test.each<object>([
    { foo: 1 },
    { external_web_access: true },
    { allowed_callers: ['direct'] },
    { response_inclusion: 'full' },
    { search_type: 'pro' },
  ])('that csp does not know is named: %j', async (more) => {
    const { status, headers } = await post(more)
    expect([status, inTools(headers)]).toEqual([200, [`tools[0].${Object.keys(more)[0]}`]])
  })

  test('that says nothing is not', async () => {
    const { headers } = await post({ foo: null, bar: '', 'a b': 1, list: [] })
    expect(inTools(headers)).toEqual([])
  })

  test('cannot make the header long', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (__, at) => [`field${at}`, 1]))
    expect((await post(many)).headers.get('x-csp-ignored')?.length).toBeLessThan(2000)
  })
})
