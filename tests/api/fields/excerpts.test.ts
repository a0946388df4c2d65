import { describe, expect, test } from 'bun:test'
import { Refusal } from '../../../src/api/exchange/refusal.ts'
import { withHeaderWishes } from '../../../src/api/fields/excerpts.ts'
import type { SearchRequest } from '../../../src/domain/search.ts'
import { requestFor } from '../../support/fake-executor.ts'
import { asks, testApp } from '../test-app.ts'

describe('the header x-csp-excerpts', () => {
  test.each(['lines', 'pages', 'none', ' Pages '])('says where the excerpts of a list come from: %p', async (wish) => {
    const { get, executor } = testApp()
    const { status } = await get('/v1/search?q=bees', { 'x-csp-excerpts': wish })
    expect(status).toBe(200)
    expect(executor.requests).toMatchObject([{ excerpts: wish.trim().toLowerCase() }])
  })

  test('is taken by every dialect, and by MCP', async () => {
    const { post, executor } = testApp()
    await post('/tavily/search', { query: 'bees' }, { 'x-csp-excerpts': 'none' })
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'web_search', arguments: { query: 'bees' } },
    }
    await post('/mcp', call, { 'x-csp-excerpts': 'none' })
    expect(executor.requests.map(({ excerpts }) => excerpts)).toEqual(['none', 'none'])
  })

  test('says what a written answer rests on, and nothing of plain text', async () => {
    const { post, executor } = testApp()
    for (const model of ['sonar-pro', 'chat-haiku'])
      await post('/v1/chat/completions', asks('Where do bees live?', { model }), { 'x-csp-excerpts': 'lines' })
    expect(executor.requests).toMatchObject([{ want: 'answer', excerpts: 'lines' }, { want: 'text' }])
    expect(executor.requests[1]).not.toHaveProperty('excerpts')
  })

  test('with another word is refused in the words of the dialect, and costs no search', async () => {
    const { get, post, executor } = testApp()
    const ours = await get('/v1/search?q=bees', { 'x-csp-excerpts': 'all' })
    expect(ours.status).toBe(400)
    expect(ours.body.error).toMatchObject({
      code: 'invalid_request',
      field: 'x-csp-excerpts',
      message: expect.stringContaining('one of lines, pages, none'),
    })
    const theirs = await post('/tavily/search', { query: 'bees' }, { 'x-csp-excerpts': '' })
    expect(theirs.status).toBe(400)
    expect(JSON.stringify(theirs.body)).toContain('x-csp-excerpts')
    expect(executor.requests).toEqual([])
  })

  test('absent leaves the choice to the configuration', async () => {
    const { get, executor } = testApp()
    await get('/v1/search?q=bees')
    expect(executor.requests[0]).not.toHaveProperty('excerpts')
  })
})

describe('the header x-csp-merge', () => {
  test('says how many backends list, for lists and answers of every dialect and for MCP, and nothing of plain text', async () => {
    const { get, post, executor } = testApp()
    await get('/v1/search?q=bees', { 'x-csp-merge': '2' })
    await post('/tavily/search', { query: 'bees' }, { 'x-csp-merge': ' 99 ' })
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'web_search', arguments: { query: 'b' } },
    }
    await post('/mcp', call, { 'x-csp-merge': '1' })
    for (const model of ['sonar-pro', 'chat-haiku'])
      await post('/v1/chat/completions', asks('Where do bees live?', { model }), { 'x-csp-merge': '3' })
    expect(executor.requests.map(({ merge }) => merge)).toEqual([2, 99, 1, 3, undefined])
  })

  test.each(['0', '-1', '2.5', 'all', '', '101', '9'.repeat(400)])(
    'with %p is refused in the words of the dialect, and costs no search',
    async (wish) => {
      const { get, post, executor } = testApp()
      const ours = await get('/v1/search?q=bees', { 'x-csp-merge': wish })
      expect(ours.status).toBe(400)
      expect(ours.body.error).toMatchObject({
        code: 'invalid_request',
        field: 'x-csp-merge',
        message: expect.stringContaining('a whole number from 1 to 100'),
      })
      const theirs = await post('/tavily/search', { query: 'bees' }, { 'x-csp-merge': wish })
      expect(theirs.status).toBe(400)
      expect(JSON.stringify(theirs.body)).toContain('x-csp-merge')
      expect(executor.requests).toEqual([])
    },
  )
})

describe('the header x-csp-evidence', () => {
  test.each(['report', 'judge', ' Off '])('says how an answer is compared with its pages: %p', async (wish) => {
    const { post, executor } = testApp()
    for (const model of ['sonar-pro', 'chat-haiku'])
      await post('/v1/chat/completions', asks('Where do bees live?', { model }), { 'x-csp-evidence': wish })
    expect(executor.requests).toMatchObject([{ want: 'answer', evidence: wish.trim().toLowerCase() }, { want: 'text' }])
    expect(executor.requests[1]).not.toHaveProperty('evidence')
  })

  test.each(['always', 'repair'])('with another word is refused, and costs no search: %s', async (wish) => {
    const { post, executor } = testApp()
    const asked = asks('Where do bees live?', { model: 'sonar-pro' })
    const { status, body } = await post('/v1/chat/completions', asked, { 'x-csp-evidence': wish })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('x-csp-evidence')
    expect(executor.requests).toEqual([])
  })
})

describe('what headers wish', () => {
  const list = requestFor('bees')
  const wished = (headers: Record<string, string>, request: SearchRequest = list, wantsPassages?: boolean) =>
    withHeaderWishes(request, new Headers(headers), wantsPassages)

  test('is nothing without them, except for a list that wants passages', () => {
    expect(wished({})).toEqual(list)
    expect(wished({}, list, true)).toEqual({ ...list, excerpts: 'pages' })
    expect(wished({ 'x-csp-excerpts': 'none' }, list, true)).toEqual({ ...list, excerpts: 'none' })
    const answer = requestFor('bees', { want: 'answer' })
    expect(wished({}, answer, true)).toEqual(answer)
  })

  test('may be an answer from memory alone, of which the body says more', () => {
    const memory = { 'x-csp-backend': ' Memory ' }
    expect(wished(memory)).toEqual({ ...list, memory: {} })
    expect(wished(memory, { ...list, memory: 'never' })).toEqual({ ...list, memory: {} })
    const request = { ...list, memory: { similarTo: 'https://bees.example/' } }
    expect(wished(memory, request)).toEqual(request)
  })

  test.each([
    ['x-csp-backend', 'Input should be memory'],
    ['x-csp-evidence', 'Input should be one of report, judge, off'],
    ['x-csp-merge', 'Input should be a whole number from 1 to 100'],
  ])('in %s is refused with 100 characters of what was sent: %s', (name, message) => {
    const refusal = (() => {
      try {
        return wished({ [name]: 'b'.repeat(101) })
      } catch (error) {
        return error
      }
    })()
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ issues: [{ path: [name], type: 'value_error', message, input: 'b'.repeat(100) }] })
  })
})
