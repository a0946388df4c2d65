import { afterAll, expect, test } from 'bun:test'
import { pagesAbout } from '../../../packages/sandbox/src/replies/pages.ts'
import { startSandbox } from '../../../packages/sandbox/test/support/sandbox.ts'
import { messages } from '../../../src/executor/backends/messages/messages.ts'
import { createStack } from '../../../src/executor/layers/stack.ts'
import { draftedReceipts } from '../../support/over-pages.ts'
import { fixedNow, testApp } from '../test-app.ts'

// What the API cites of each page, where csp reads none, in the shapes that have a place for it.

const standIn = startSandbox({ now: () => fixedNow })
const backend = messages({ apiKey: 'k', model: 'sonnet', url: standIn.url, version: '1', requestsPerSecond: 0 })
const { receipts, drafts } = draftedReceipts()
const app = testApp(undefined, { executor: createStack([backend], { evidence: { receipts } }) })
const cited = pagesAbout({ query: 'harbour seals', count: 8, now: fixedNow }).slice(0, 4)
const excerpts = cited.map(({ excerpt }) => excerpt)
afterAll(async () => {
  await backend.close()
  await standIn.stop()
})

const message = {
  ...{ model: 'claude-sonnet-4-5', max_tokens: 1000, messages: [{ role: 'user', content: 'harbour seals' }] },
  tools: [{ type: 'web_search_20250305', name: 'web_search' }],
}

test('the Messages API has the words as cited_text, whole and in a stream, and their verdicts', async () => {
  const { body, headers } = await app.post('/v1/messages', message)
  const blocks: readonly { readonly citations?: readonly { readonly cited_text: string }[] }[] = body.content
  expect(blocks.flatMap(({ citations = [] }) => citations.map((one) => one.cited_text))).toEqual(excerpts)
  expect(headers.get('x-csp-evidence')).toBe('found=4 partly=0 not-found=0 not-read=0')
  const stream = await app.request('/v1/messages', {
    method: 'POST',
    body: JSON.stringify({ ...message, stream: true }),
  })
  const texts = [...(await stream.text()).matchAll(/"cited_text":("(?:[^"\\]|\\.)*")/g)]
  expect(texts.map(([, text = '']) => JSON.parse(text))).toEqual(excerpts)
})

test('rows and receipts have them, too', async () => {
  const { body } = await app.post('/chat/completions', { model: 'sonar-pro', messages: message.messages })
  const rows: readonly { readonly snippet: string }[] = body.search_results
  expect(rows.slice(0, 4).map(({ snippet }) => snippet)).toEqual(excerpts)
  const receipt = await drafts.at(-1)
  expect(receipt?.sources.slice(0, 4).map(({ passages }) => passages)).toEqual(excerpts.map((one) => [one]))
  expect(receipt?.sentences.map(({ verdict, passage }) => [verdict, passage?.text])).toEqual(
    excerpts.map((one) => ['found', one]),
  )
})
