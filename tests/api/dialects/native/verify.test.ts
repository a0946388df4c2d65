import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { languages } from '../../../../packages/evidence/test/languages.ts'
import { SearchError } from '../../../../src/domain/error.ts'
import { Budget } from '../../../../src/executor/layers/metering/budget.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { memoryLedger } from '../../../support/memory-ledger.ts'
import { scriptedExecutor } from '../../../support/scripted-executor.ts'
import { testApp } from '../../test-app.ts'

/** A model that judges every claim so. */
function judge(verdict: string, words: string) {
  return scriptedExecutor(({ claims = [] }) => [
    {
      type: 'text-delta',
      text: JSON.stringify({ judgements: claims.map((_, place) => ({ claim: place + 1, verdict, words })) }),
    },
    {
      type: 'done',
      reason: 'stop',
      usage: { searches: 0, inputTokens: 30, outputTokens: 9 },
      model: 'claude-haiku-4-5',
    },
  ])
}

const walled = 'https://walled.example/'
const reader = () =>
  fakePageReader({
    ...Object.fromEntries(
      Object.entries(languages).map(([language, { page }]) => [`https://${language}.example/`, page]),
    ),
    [walled]: new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
  })

describe('POST /v1/verify', () => {
  test.each(Object.entries(languages))(
    'in %s gives exactly the four verdicts',
    async (language, { right, wrong, invented }) => {
      const { post } = testApp(undefined, { pages: reader() })
      const url = `https://${language}.example/`
      const [claim = ''] = right
      const [[figure, missing] = ['', '']] = wrong
      const claims = [claim, figure, invented].map((text) => ({ text, sources: [{ url }] }))
      const sent = { claims: [...claims, { text: claim, sources: [{ url: walled }] }] }
      const { status, body } = await post('/v1/verify', sent)
      expect(status).toBe(200)
      expect(body.results.map(({ verdict }: { verdict: string }) => verdict)).toEqual([
        'found',
        'partly',
        'not-found',
        'not-read',
      ])
      expect(body.verdicts).toEqual({ found: 1, partly: 1, 'not-found': 1, 'not-read': 1 })
      expect(body.results[0]).toMatchObject({
        claim,
        passage: { source: 1, place: expect.any(Number), text: expect.any(String) },
        missing: [],
        unseen: expect.any(Array),
        reason: null,
        sources: [{ number: 1, url, error: null }],
      })
      expect(body.results[1].missing).toEqual([{ kind: expect.any(String), text: missing }])
      expect(body.results[3]).toMatchObject({
        passage: null,
        reason: 'unreadable',
        sources: [{ error: { code: 'blocked_by_status', message: 'The site answered 403.' } }],
      })
    },
  )

  test('each page is read once, and texts need no reader', async () => {
    const pages = reader()
    const { post } = testApp(undefined, { pages })
    const claims = ['Bees dance.', 'Bees sing.'].map((text) => ({ text }))
    const sources = [{ url: 'https://en.example/' }, { text: 'Bees dance.', title: 'Bees' }]
    const { body } = await post('/verify', { claims, sources })
    expect(pages.requests.map(({ url }) => url)).toEqual(['https://en.example/'])
    expect(body.results[0]).toMatchObject({
      verdict: 'found',
      passage: { source: 2, place: 0 },
      sources: [{}, { title: 'Bees' }],
    })
    const off = testApp(undefined, {})
    const alone = { claim: 'Bees dance.', sources: [{ text: 'Bees dance.' }] }
    expect((await off.post('/v1/verify', alone)).body.results[0].verdict).toBe('found')
    expect((await off.post('/v1/verify', { claim: 'Bees dance.', sources })).body.error.code).toBe('pages_off')
  })

  test.each([
    [{ sources: [{ text: 'a' }] }, 'claim'],
    [{ claim: 'a', claims: [{ text: 'a' }], sources: [{ text: 'a' }] }, 'claim'],
    [{ claim: 'a' }, 'sources'],
    [{ claim: 'a', sources: [] }, 'sources'],
    [{ claim: ' ', sources: [{ text: 'a' }] }, 'claim'],
    [{ claim: 'a'.repeat(5001), sources: [{ text: 'a' }] }, 'claim'],
    [{ claims: [{ text: 'a' }] }, 'claims[0].sources'],
    [{ claim: 'a', sources: [{ text: 'a' }], judge: 'haiku' }, 'judge'],
    [{ claims: [{ text: 'a', sources: [{ text: 'a' }, {}] }] }, 'claims[0].sources[1]'],
    [{ claims: [{ text: 'a', sources: Array(21).fill({ text: 'a' }) }] }, 'claims[0].sources'],
    [{ claims: Array(51).fill({ text: 'a' }), sources: [{ text: 'a' }] }, 'claims'],
    [
      {
        claims: [0, 1].map((n) => ({
          text: 'a',
          sources: Array.from({ length: 11 }, (_, at) => ({ url: `https://a.example/${n}/${at}` })),
        })),
      },
      'claims',
    ],
  ])('says what is wrong with %j', async (sent, field) => {
    const pages = reader()
    const { post } = testApp(undefined, { pages })
    const { status, body } = await post('/v1/verify', sent)
    expect({ status, field: body.error.field, read: pages.requests }).toEqual({ status: 400, field, read: [] })
  })

  test('shows what each page has, by the number that the claim gives it', async () => {
    const sources = [
      { text: 'Bees dance in the hive.' },
      { text: 'Nothing here.' },
      { text: 'In the hive bees dance.' },
    ]
    const claims = [{ text: 'It rains.' }, { text: 'Bees dance in the hive.', sources: sources.toReversed() }]
    const { body } = await testApp().post('/v1/verify', { claims, sources })
    expect(body.results[0].passages).toEqual([])
    expect(body.results[1].passages.map(({ source, text }: Shown) => [source, text])).toEqual([
      [1, 'In the hive bees dance.'],
      [3, 'Bees dance in the hive.'],
    ])
  })

  describe('with a judge', () => {
    const claim = 'Around 33 % of the workers came from Italy.'
    const sources = [{ text: 'About a third of the workers came from Italy. Mules carried @/etc/passwd.' }]
    const asked = (executor: ReturnType<typeof judge>) =>
      testApp(executor).post('/v1/verify', { claim, sources, judge: true }, { 'x-api-key': 'k' })

    test('has a model asked once, which may raise and lower verdicts', async () => {
      const words = 'third of the workers came from Italy'
      const raising = judge('supported', words)
      const { body } = await asked(raising)
      expect(body.results[0]).toMatchObject({
        ...{ verdict: 'found', missing: [], doubt: null },
        judge: { model: 'claude-haiku-4-5', says: 'supported', words },
      })
      expect(body.verdicts).toEqual({ found: 1, partly: 0, 'not-found': 0, 'not-read': 0 })
      expect(raising.requests).toMatchObject([{ want: 'text', claims: [{ sentence: claim }] }])
      const lowered = (await asked(judge('contradicted', words))).body.results[0]
      expect([lowered.verdict, lowered.judge.says]).toEqual(['not-found', 'contradicted'])
    })

    test('asks nobody where that is not asked for', async () => {
      const executor = judge('contradicted', 'workers came from Italy')
      const { body } = await testApp(executor).post('/v1/verify', { claim, sources, judge: false })
      expect([body.results[0].verdict, body.results[0].judge, executor.requests]).toEqual(['partly', null, []])
    })

    test.each([
      ['a limit', new SearchError('rate-limited', 'The plan is used up.'), 'rate-limited'],
      ['a fault of its own', new Error('broken'), 'failed'],
    ])('is left to the words where %s keeps it from judging, and says so', async (_, failure, problem) => {
      const { status, body } = await asked(scriptedExecutor([failure]))
      expect([status, body.results[0].verdict, body.results[0].judge]).toEqual([200, 'partly', { problem }])
    })

    test('notes what it cost in the log', async () => {
      const { post, log } = testApp(judge('supported', 'workers came from Italy'))
      await post('/v1/verify', { claim, sources, judge: true })
      expect(log[0]).toMatchObject({ status: 200, model: 'claude-haiku-4-5', inputTokens: 30, outputTokens: 9 })
    })
  })
})

interface Shown {
  readonly source: number
  readonly text: string
}

describe('checks of several callers', () => {
  const words = 'The hall has 1,200 seats and was built in 1911 by Anna Berg of Oslo. '

  test('take turns: one request of one caller does not wait for all of another’s', async () => {
    const { post } = testApp(undefined, { keys: ['first-key', 'second-key'] })
    const ended: string[] = []
    const check = async (key: string, mark: string) => {
      const text = Array.from({ length: 1500 }, (_, at) => `${mark}${at} ${words}`).join('')
      const claims = Array.from({ length: 10 }, (_, at) => ({ text: `The hall ${mark}${at} has 1,300 seats in Oslo.` }))
      const sent = { claims, sources: [{ text }] }
      const { status } = await post('/v1/verify', sent, { authorization: `Bearer ${key}` })
      expect(status).toBe(200)
      ended.push(key)
    }
    const first = Array.from({ length: 6 }, (_, at) => check('first-key', `a${at}`))
    await Promise.all([...first, check('second-key', 'b')])
    expect(ended.indexOf('second-key')).toBeLessThan(3)
  })

  test('are in the report of what was used, as what they are, over MCP as well', async () => {
    const ledger = memoryLedger()
    const budget = new Budget({ ledger })
    const { post, get } = testApp(undefined, { budget, pages: reader(), keyRing: undefined, now: () => new Date() })
    const sources = [{ text: words }]
    await post('/v1/verify', { claim: 'The hall has 1,200 seats.', sources })
    const call = { name: 'check_claim', arguments: { claim: 'The hall has 9 seats.', text: words } }
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }, headers).catch(() => {})
    // What is refused is none.
    await post('/v1/verify', { sources })
    const { body } = await get('/v1/usage?days=1')
    expect(body.days[0].by_backend.checks).toMatchObject({ requests: 2, searches: 0, input_tokens: 0 })
  })

  test('that nobody waits for any longer leave their place', async () => {
    const { request, post } = testApp()
    const text = Array.from({ length: 1500 }, (_, at) => `${at} ${words}`).join('')
    const body = JSON.stringify({ claim: 'The hall has 1,300 seats.', sources: [{ text }] })
    const left = new AbortController()
    const gone = Array.from({ length: 3 }, () => request('/v1/verify', { method: 'POST', body, signal: left.signal }))
    const stays = post('/v1/verify', { claim: 'The hall has 1,200 seats.', sources: [{ text: words }] })
    left.abort()
    await Promise.allSettled(gone)
    expect((await stays).body.results[0].verdict).toBe('found')
  })
})
