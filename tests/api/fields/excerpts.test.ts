import { describe, expect, test } from 'bun:test'
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
  test.each(['report', 'repair', ' Off '])('says how an answer is compared with its pages: %p', async (wish) => {
    const { post, executor } = testApp()
    for (const model of ['sonar-pro', 'chat-haiku'])
      await post('/v1/chat/completions', asks('Where do bees live?', { model }), { 'x-csp-evidence': wish })
    expect(executor.requests).toMatchObject([{ want: 'answer', evidence: wish.trim().toLowerCase() }, { want: 'text' }])
    expect(executor.requests[1]).not.toHaveProperty('evidence')
  })

  test('with another word is refused, and costs no search', async () => {
    const { post, executor } = testApp()
    const asked = asks('Where do bees live?', { model: 'sonar-pro' })
    const { status, body } = await post('/v1/chat/completions', asked, { 'x-csp-evidence': 'always' })
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain('x-csp-evidence')
    expect(executor.requests).toEqual([])
  })
})
