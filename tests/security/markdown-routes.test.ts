import { expect, test } from 'bun:test'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { GroundedAnswer } from '../../src/executor/answer/answer-text.ts'
import { testApp } from '../api/test-app.ts'
import { scriptedExecutor } from '../support/scripted-executor.ts'

// What a model writes reaches the reader's program through every dialect: none of it is live there.
const hostile = Object.values(hostileMarkdown)
  .filter((text) => text.length < 500)
  .join('\n\nSeals bark [1].\n\n')
const results = [{ title: 'Seals', url: 'https://seals.example/a', snippet: 'Seals bark.', source: 'scripted' }]
const messages = [{ role: 'user', content: 'What do seals do?' }]

const routes: readonly [path: string, body: Readonly<Record<string, unknown>>][] = [
  ['/v1/chat/completions', { model: 'sonnet', messages }],
  ['/chat/completions', { model: 'sonar', messages }],
  ['/v1/messages', { model: 'claude-sonnet-4-5', max_tokens: 1000, messages }],
  ['/res/v1/chat/completions', { model: 'brave', messages }],
  ['/v1/responses', { model: 'sonnet', input: 'What do seals do?', tools: [{ type: 'web_search' }] }],
]

test.each(
  routes.flatMap(([path, body]) => [false, true].map((stream) => ({ path, body: { ...body, stream }, stream }))),
)('nothing in the answer of $path is live, streamed: $stream', async ({ path, body, stream }) => {
  const answer = new GroundedAnswer()
  answer.addSources(results)
  const parts = [...(hostile.match(/.{1,9}/gsu) ?? []).flatMap((piece) => [...answer.push(piece)]), ...answer.end()]
  const usage = { searches: 1, inputTokens: 1, outputTokens: 1 }
  const app = testApp(
    scriptedExecutor([
      { type: 'search-start', id: 'one', query: 'seals' },
      { type: 'search-results', id: 'one', results },
      ...parts,
      { type: 'done', reason: 'stop', usage, model: 'scripted' },
    ]),
  )
  const response = await app.request(path, { method: 'POST', body: JSON.stringify(body) })
  const reply = await response.text()
  expect(response.status).toBe(200)
  const texts = stream ? [textOfFrames(reply)] : textsIn(JSON.parse(reply))
  expect(texts.join('').length).toBeGreaterThan(hostile.length / 2)
  for (const text of texts) expect(liveMarkup(text)).toEqual([])
})

/** The texts of a whole reply; Anthropic's are cut at the citations, and a client may show each alone. */
function textsIn({ choices, content, output }: Reply): readonly string[] {
  if (choices) return choices.map(({ message }) => message.content)
  const blocks = content ?? (output ?? []).flatMap((item) => item.content ?? [])
  return [...blocks.map(({ text = '' }) => text), blocks.map(({ text = '' }) => text).join('')]
}

interface Reply {
  readonly choices?: readonly { readonly message: { readonly content: string } }[]
  readonly content?: readonly { readonly text?: string }[]
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[]
}

/** The text of all deltas, in the order of the frames. */
function textOfFrames(reply: string): string {
  const deltas = reply
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
    .map(({ choices, delta, type }) => {
      if (choices) return choices[0]?.delta?.content ?? ''
      if (type === 'content_block_delta') return delta.text ?? ''
      return type === 'response.output_text.delta' ? delta : ''
    })
  return deltas.join('')
}
