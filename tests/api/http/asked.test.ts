import { expect, test } from 'bun:test'
import { createApp } from '../../../src/app.ts'
import { createStack } from '../../../src/executor/layers/stack.ts'
import { answers, done, fails, fakeExecutor, type Script } from '../../support/fake-executor.ts'

const nothing: Script = async function* ({ query }) {
  yield { type: 'search-start', id: 'one', query }
  yield { type: 'search-results', id: 'one', results: [] }
  yield done
}

/** An app over backends with these names. */
function over(scripts: Readonly<Record<string, Script>>) {
  const backends = Object.entries(scripts).map(([name, script]) => fakeExecutor(script, name))
  return createApp({ executor: createStack(backends, { paging: { ttlSeconds: 60 } }), version: '1' })
}

test('a reply names the backends that were asked, where it was more than one, also in a stream', async () => {
  const app = over({ empty: nothing, broken: fails('unavailable'), good: answers, spare: answers })
  const list = await app.request('/v1/search?q=seals')
  expect([list.headers.get('x-csp-asked'), list.headers.get('x-csp-backend')]).toEqual(['empty, broken, good', 'good'])
  const body = JSON.stringify({ model: 'sonar-pro', stream: true, messages: [{ role: 'user', content: 'seals' }] })
  const headers = { 'content-type': 'application/json' }
  const answer = await app.request('/chat/completions', { method: 'POST', headers, body })
  expect(answer.headers.get('x-csp-asked')).toBe('empty, broken, good')
  await answer.text()
  expect(
    (await over({ good: answers, spare: answers }).request('/v1/search?q=seals')).headers.get('x-csp-asked'),
  ).toBeNull()
})

test('health and its page say which backend is asked last, because it found nothing', async () => {
  const app = over({ empty: nothing, good: answers })
  for (const q of ['a', 'b', 'c']) await app.request(`/v1/search?q=${q}`)
  const { backends } = (await (await app.request('/health')).json()) as { backends: readonly object[] }
  expect(backends).toMatchObject([{ name: 'empty', asked_last: true }, { name: 'good' }])
  const next = await app.request('/v1/search?q=d')
  expect(next.headers.get('x-csp-backend')).toBe('good')
  expect(next.headers.get('x-csp-asked')).toBeNull()
})
