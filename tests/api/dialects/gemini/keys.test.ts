import { describe, expect, test } from 'bun:test'
import { testApp } from '../../test-app.ts'

const body = JSON.stringify({ contents: [{ parts: [{ text: 'Why do bees hum?' }] }] })
const secret = 'AIza-secret'

const bases = ['/v1beta/models', '/gemini/v1beta/models', '/gemini/models', '/v1/models', '/models']

describe.each(bases)('the key of %s', (base) => {
  const path = `${base}/gemini-flash-latest:generateContent`

  test('may stand in the header or the query string, and is in no log', async () => {
    const notes: unknown[] = []
    const { request, log } = testApp(undefined, { keys: [secret], note: (note) => notes.push(note) })
    const ask = (query: string, headers = {}) => request(`${path}${query}`, { method: 'POST', body, headers })
    expect((await ask('', { 'x-goog-api-key': secret })).status).toBe(200)
    expect((await ask('', { authorization: `Bearer ${secret}` })).status).toBe(200)
    expect((await ask(`?key=${secret}`)).status).toBe(200)
    expect((await ask(`?key=${secret}`, { 'x-goog-api-key': 'wrong' })).status).toBe(401)
    expect((await ask('?key=wrong-secret')).status).toBe(401)
    expect((await ask(`?key=${encodeURIComponent('schlüssel\n')}`)).status).toBe(401)
    expect(log.map(({ caller }) => caller)).toEqual(['key-1', 'key-1', 'key-1', undefined, undefined, undefined])
    expect(JSON.stringify([log, notes])).not.toMatch(/secret/)
  })

  test('that is missing or wrong gets Google’s error', async () => {
    const { request } = testApp(undefined, { keys: [secret] })
    for (const query of ['', '?key=wrong']) {
      const response = await request(`${path}${query}`, { method: 'POST', body })
      expect(await response.json()).toMatchObject({
        error: { code: 401, status: 'UNAUTHENTICATED', details: [{ reason: 'API_KEY_INVALID' }] },
      })
    }
  })
})

test('the models take the key from the query string, too; other paths do not', async () => {
  const { get } = testApp(undefined, { keys: [secret] })
  expect((await get(`/v1beta/models?key=${secret}`)).status).toBe(200)
  expect((await get(`/v1beta/models/sonar?key=${secret}`)).status).toBe(200)
  expect((await get(`/v1/search?q=bees&key=${secret}`)).status).toBe(401)
})

test('a request keeps its body and its signal where the key came in the query string', async () => {
  const { request, executor } = testApp(undefined, { keys: [secret] })
  const leave = new AbortController()
  const init = { method: 'POST', body, signal: leave.signal }
  await request(`/v1beta/models/gemini-flash-latest:generateContent?key=${secret}`, init)
  const [call] = executor.calls
  expect(call?.request.query).toBe('Why do bees hum?')
  leave.abort()
  expect(call?.context.signal.aborted).toBe(true)
})

test.each(['embedContent', 'batchEmbedContents', 'predict'])(
  '%s of a model is not there, and says what is',
  async (name) => {
    const { post, executor } = testApp()
    const { status, body: reply } = await post(`/v1beta/models/gemini-embedding-001:${name}`, {})
    expect([status, reply.error.status]).toEqual([404, 'NOT_FOUND'])
    expect(reply.error.message).toContain('generateContent, streamGenerateContent and countTokens')
    expect(executor.calls).toHaveLength(0)
  },
)

test('a model that writes no text is not there', async () => {
  const { request } = testApp()
  for (const model of ['gemini-embedding-001', 'gemini-2.5-flash-image']) {
    const response = await request(`/v1beta/models/${model}:generateContent`, { method: 'POST', body })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { status: 'NOT_FOUND', details: [{ fieldViolations: [{ field: 'model' }] }] },
    })
  }
})
