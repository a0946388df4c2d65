import { describe, expect, test } from 'bun:test'
import { PageError } from '../../../../src/domain/page-error.ts'
import { languages } from '../../../evidence/languages.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { testApp } from '../../test-app.ts'

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
})
