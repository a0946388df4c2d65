import { expect, test } from 'bun:test'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { parallelTasks } from '../../src/api/dialects/parallel/tasks.ts'
import type { SearchEvent } from '../../src/domain/search.ts'
import { asks, testApp } from '../api/test-app.ts'
import { answered } from '../support/scripted-executor.ts'

// The planner of a research has read pages: what it asks and notes is shown to people while they wait, as thoughts and as
// messages, and is as dead there as the answer.

const span = 'the sea `<img src=x onerror=alert(1)>` and'
const hostile = [...Object.values(hostileMarkdown).filter((text) => text.length < 400), span]
const steps: readonly SearchEvent[] = [
  { type: 'research', step: { kind: 'outline', questions: ['half ` of it', span, ...hostile] } },
  ...hostile.map((text): SearchEvent => ({ type: 'research', step: { kind: 'note', text } })),
]

const routes = [
  ['/chat/completions', asks('bees', { model: 'sonar', stream: true, stream_mode: 'concise' }), 'thought'],
  ['/v1/agent', { model: 'sonar', input: 'bees', stream: true }, 'thought'],
  ['/v1/responses', { model: 'sonnet', input: 'bees', tools: [{ type: 'web_search' }], stream: true }, 'text'],
] as const

test.each(routes)('nothing in the steps that %s shows is live', async (path, body, name) => {
  const reply = await testApp([...steps, ...answered]).request(path, { method: 'POST', body: JSON.stringify(body) })
  const frames = await reply.text()
  expect(reply.status).toBe(200)
  const shown = JSON.stringify(frames).match(/Searching for:/g) ?? []
  expect(shown.length).toBeGreaterThan(0)
  const texts = frames.split('\n').flatMap((line) => {
    const found: string[] = []
    if (line.startsWith('data: {'))
      JSON.parse(line.slice('data: '.length), (key, value) => {
        if (typeof value === 'string' && [name, 'delta', 'thought'].includes(key)) found.push(value)
        return value
      })
    return found
  })
  expect(texts.length).toBeGreaterThan(0)
  for (const text of texts) expect(liveMarkup(text)).toEqual([])
})

test('nor in the messages of a run of Parallel', async () => {
  const page: SearchEvent = { type: 'research', step: { kind: 'page', title: span, url: 'https://seals.example/a' } }
  const search: SearchEvent = { type: 'search-start', id: 's', query: span }
  const events = [...steps, page, search].map((event, sequence) => ({ at: 0, event, sequence }))
  const view = { job: { id: '1', status: 'running', createdAt: 0 }, reply: { input: { processor: 'base' } } }
  const messages: string[] = []
  const frames = parallelTasks.stream?.(
    view as never,
    (async function* () {
      yield* events
    })() as never,
  )
  for await (const { data } of frames ?? []) messages.push(JSON.parse(data).message ?? '')
  expect(messages.filter((text) => text !== '').length).toBe(events.length)
  for (const text of messages) expect(liveMarkup(text.replace('https://seals.example/a', ''))).toEqual([])
})
