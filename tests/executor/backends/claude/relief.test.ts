import { afterAll, expect, test } from 'bun:test'
import { collect } from '../../../../src/domain/answer.ts'
import { composed } from '../../../../src/executor/answer/composed.ts'
import { queued } from '../../../../src/executor/layers/resilience/queued.ts'
import { startClaude } from '../../../support/claude-executor.ts'
import { type Fields, requestFor } from '../../../support/fake-executor.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { cited, type NativeReply, searched, startScriptedApi } from '../../../support/scripted-api.ts'

// Answers in one call behind a queue with a single worker's place, by the real CLI.

const page = 'https://a.example/one'
const reply = {
  blocks: [...searched('s1', [page]), cited('Seals sleep.', [page, 'They sleep underwater.'])],
  tokens: [1000, 9000],
} as const satisfies NativeReply

const api = startScriptedApi([])
const common = { findBinary: quickClaude, on: api }
const claudes = {
  search: await startClaude({ ...common, answers: 'search' }),
  auto: await startClaude({ ...common, answers: 'auto' }),
}
afterAll(async () => {
  for (const claude of Object.values(claudes)) await claude[Symbol.asyncDispose]()
  await api.stop()
})

const { signal } = new AbortController()

/** Two answers at once, the second a moment behind the first; what the API was asked for. */
async function two(by: keyof typeof claudes, fields: Fields) {
  const { engine, search } = claudes[by]
  api.script([reply])
  await search('How light is a search?', { want: 'answer', effort: 'fast' })
  api.script([{ ...reply, thinkMs: 1500 }, reply])
  const lightLane = { concurrency: 10, takes: engine.isLight, relieves: engine.reliefOf }
  const stack = queued({ concurrency: 1, startsPerSecond: 0, lightLane })(engine)
  const executor = composed(stack, { writers: [stack] })
  const ended: number[] = []
  const answers = await Promise.all(
    [1, 2].map(async (number) => {
      const request = requestFor(`How do seals sleep, ${number}?`, { want: 'answer', effort: 'standard', ...fields })
      const answer = await collect(executor.search(request, { signal }))
      ended.push(number)
      return answer
    }),
  )
  const others = api.sandbox.requests().filter(({ body }) => body.max_tokens !== 1)
  return { ended, answers, inOneCall: api.calls.length, others: others.map(({ kind }) => kind) }
}

test('a fast answer that would wait for a worker is made by a search that needs none, without waiting', async () => {
  const { answers, inOneCall, others } = await two('auto', { effort: 'fast' })
  expect([inOneCall, others]).toEqual([1, ['search']])
  for (const { text, searches } of answers) expect([text !== '', searches.length]).toEqual([true, 1])
})

test('a standard one searches at once, and is written over its pages', async () => {
  const { answers, inOneCall, others } = await two('auto', {})
  expect([inOneCall, others]).toEqual([1, ['search', 'write']])
  expect(answers.map(({ usage }) => usage.searches)).toEqual([1, 1])
})

test.each<[string, 'search' | 'auto', Fields]>([
  ['a deep answer', 'auto', { effort: 'deep' }],
  ['a follow-up', 'auto', { history: [{ role: 'user', text: 'Hi' }] }],
  ['any of --answers search', 'search', { effort: 'fast' }],
])('%s waits, since nothing is sooner', async (_, by, fields) => {
  const { ended, inOneCall, others } = await two(by, fields)
  expect([inOneCall, others, ended]).toEqual([2, [], [1, 2]])
})
