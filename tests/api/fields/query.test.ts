import { expect, test } from 'bun:test'
import { testApp } from '../test-app.ts'

test.each([
  ['  bees  ', 'bees'],
  ['bees\u0000and\u0007wasps', 'bees and wasps'],
  ['bees\nand\twasps', 'bees and wasps'],
  ['bees \ud800 wasps \udc00', 'bees   wasps'],
  ['bees 🐝', 'bees 🐝'],
  ['🐝', '🐝'],
  ['x'.repeat(4000), 'x'.repeat(4000)],
  ['🐝'.repeat(4000), '🐝'.repeat(4000)],
  ['--help @/etc/passwd', '--help @/etc/passwd'],
])('the query %p is cleaned and searched for', async (sent, query) => {
  const { post, executor } = testApp()
  expect((await post('/search', { query: sent })).status).toBe(200)
  expect(executor.calls[0]?.request.query).toBe(query)
})

test('a chat message keeps its line breaks', async () => {
  const { post, executor } = testApp()
  await post('/v1/chat/completions', { messages: [{ role: 'user', content: 'one\r\ntwo\u0000\n\nthree' }] })
  expect(executor.calls[0]?.request.query).toBe('one\ntwo \n\nthree')
})

test('a query that is blank after cleaning is refused', async () => {
  const { post } = testApp()
  expect((await post('/search', { query: '\u0000\u0000\ud800' })).status).toBe(400)
})
