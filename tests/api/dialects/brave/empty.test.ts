import { describe, expect, test } from 'bun:test'
import { testApp } from '../../test-app.ts'

const query = { original: 'bees' }
const extra = { might_be_offensive: false }

const shapes: readonly [path: string, body: object][] = [
  [
    '/res/v1/videos/search?q=bees&count=50&offset=9&safesearch=moderate&freshness=pw',
    { type: 'videos', query, results: [], extra },
  ],
  ['/res/v1/images/search?q=bees&count=200&safesearch=strict', { type: 'images', query, results: [], extra }],
  ['/res/v1/suggest/search?q=bees&count=20&rich=true&lang=en&country=US', { type: 'suggest', query, results: [] }],
  ['/res/v1/spellcheck/search?q=bees&lang=en&country=US', { type: 'spellcheck', query, results: [] }],
  ['/res/v1/local/place_search?q=bees&latitude=1.5&longitude=2', { type: 'locations', query, results: [] }],
  ['/res/v1/local/place_search?location=tokyo+japan', { type: 'locations', results: [] }],
  ['/res/v1/local/pois?ids=a,b', { type: 'local_pois', results: [] }],
  ['/res/v1/local/descriptions?ids=a&ids=b', { type: 'local_descriptions', results: [] }],
]

describe.each(['', '/v1'])('under the prefix "%s", an endpoint of Brave without a backend', (prefix) => {
  test.each(shapes)('at %s returns an empty reply of the right shape without a search', async (path, body) => {
    const { get, executor } = testApp()
    const reply = await get(`${prefix}${path}`)
    expect(reply.status).toBe(200)
    expect(reply.body).toStrictEqual(body)
    expect(reply.headers.get('x-ratelimit-limit')).toBe('20, 0')
    expect(executor.calls).toHaveLength(0)
  })
})

test('Brave videos can be requested by POST', async () => {
  const { status, body } = await testApp().post('/res/v1/videos/search', { q: 'bees', count: 5 })
  expect([status, body.type]).toEqual([200, 'videos'])
})

test.each(['suggest', 'spellcheck'])('the Brave endpoint %s accepts a single character', async (kind) => {
  expect((await testApp().get(`/res/v1/${kind}/search?q=b`)).body.query).toEqual({ original: 'b' })
})

describe('a Brave request to such an endpoint is refused', () => {
  test.each([
    ['videos/search?q=%20', 'q', 'string_too_short'],
    ['videos/search?q=bees&count=51', 'count', 'less_than_equal'],
    ['videos/search?q=bees&offset=10', 'offset', 'less_than_equal'],
    ['images/search', 'q', 'missing'],
    ['images/search?q=bees&count=201', 'count', 'less_than_equal'],
    ['images/search?q=bees&safesearch=moderate', 'safesearch', 'enum'],
    ['suggest/search?q=', 'q', 'string_too_short'],
    ['suggest/search?q=bees&count=21', 'count', 'less_than_equal'],
    ['suggest/search?q=bees&rich=very', 'rich', 'bool_type'],
    ['spellcheck/search?q=bees&lang=xx', 'lang', 'enum'],
    ['spellcheck/search?q=bees&country=XX', 'country', 'enum'],
    ['local/pois', 'ids', 'missing'],
    ['local/place_search?q=bees&count=51', 'count', 'less_than_equal'],
  ])('with 422, naming the parameter: %s', async (path, field, type) => {
    const { status, body } = await testApp().get(`/res/v1/${path}`)
    expect(status).toBe(422)
    expect(body.error.meta.errors).toMatchObject([{ type, loc: ['query', field] }])
  })

  test('without a key where keys are set', async () => {
    const { status, body } = await testApp([], { keys: ['secret'] }).get('/res/v1/videos/search?q=bees')
    expect(status).toBe(422)
    expect(body.error.meta.errors).toMatchObject([{ type: 'missing', loc: ['header', 'x-subscription-token'] }])
  })

  test.each(['images', 'suggest', 'spellcheck'])('with 405 for POST to %s', async (kind) => {
    expect((await testApp().post(`/res/v1/${kind}/search`, { q: 'bees' })).status).toBe(405)
  })
})
