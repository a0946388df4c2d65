import { describe, expect, test } from 'bun:test'
import { type Contender, type EvaluationPlan, evaluate, type Trial } from '../../../bench/eval/evaluate.ts'
import { modelJudge } from '../../../bench/eval/judge.ts'
import type { Question } from '../../../bench/eval/question.ts'
import { report } from '../../../bench/eval/report.ts'
import { SearchError } from '../../../src/domain/error.ts'
import type { Strategy } from '../../../src/runtime/cli/doctor/live-search.ts'
import { answers, fails, fakeExecutor, hangs, plays } from '../../support/fake-executor.ts'

/** A question whose id is its text. */
const question = (id: string, ...expected: string[]): Question => ({
  ...{ id, question: id, answers: expected, kind: 'own', asOf: '2026-11' },
})

/** Evaluates to the end: the trials, why it ended, and the tables. */
async function run(
  plan: Partial<EvaluationPlan> & Pick<EvaluationPlan, 'contenders' | 'questions'>,
  stop?: AbortSignal,
) {
  const trials: Trial[] = []
  const running = evaluate({ maxSearches: 1000, now: () => 0, ...plan }, stop ?? new AbortController().signal)
  for (;;) {
    const { done, value } = await running.next()
    if (done) return { end: value, trials, table: report(plan.contenders, trials, value) }
    trials.push(value)
  }
}

const fake = (
  script: Parameters<typeof fakeExecutor>[0],
  strategy: Strategy = 'results',
  backend = 'fake',
): Contender => ({ backend, strategy, executor: fakeExecutor(script) })

test('the contenders take turns in going first', async () => {
  const contenders = [fake(answers, 'results', 'one'), fake(answers, 'results', 'two')]
  const { end, trials } = await run({ questions: [question('a', 'a'), question('b', 'b')], contenders })
  expect(end).toBe('complete')
  expect(trials.map((trial) => `${trial.question} ${trial.backend}`)).toEqual(['a one', 'a two', 'b two', 'b one'])
  expect(trials.every(({ hasEvidence }) => hasEvidence)).toBe(true)
})

test('a search that fails has no evidence and no right answer', async () => {
  const questions = [question('a', 'a')]
  const { trials, table } = await run({ questions, contenders: [fake(fails('timeout'), 'standard')] })
  expect(trials[0]).toMatchObject({ hasEvidence: false, isRight: false, failure: 'timeout', searches: 1 })
  expect(table).toContain('| fake standard | 1 | 0 % (0–79) | – / – / – | 0 % (0–79) | 0/1 |')
})

test('an invented source shows as not grounded', async () => {
  const invented = plays([
    ...([
      { type: 'search-start', id: '1', query: 'q' },
      { type: 'search-results', id: '1', results: [] },
    ] as const),
    { type: 'text-delta', text: 'It is a, says https://invented.example/.' },
    { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
  ])
  const { trials } = await run({ questions: [question('a', 'a')], contenders: [fake(invented, 'deep')] })
  expect(trials[0]).toMatchObject({ isGrounded: false, isRight: true })
})

describe('it stops, and keeps what was measured,', () => {
  const questions = ['a', 'b', 'c', 'd'].map((id) => question(id, id))

  test('after so many searches', async () => {
    const { end, trials } = await run({ questions, contenders: [fake(answers)], maxSearches: 2 })
    expect({ end, asked: trials.length }).toEqual({ end: 'max-searches', asked: 2 })
  })

  test('when a usage limit is reached', async () => {
    const { end, trials } = await run({ questions, contenders: [fake(fails('rate-limited'))] })
    expect({ end, asked: trials.length }).toEqual({ end: 'limit', asked: 0 })
  })

  test('when the plan warns', async () => {
    const executor = fakeExecutor(answers)
    const health = async () => ({
      ready: true,
      backends: [{ name: 'fake', ready: true, rateLimit: { status: 'allowed_warning' } }],
    })
    const near = { backend: 'fake', strategy: 'results', executor: { ...executor, health } } as const
    const { end, trials } = await run({ questions, contenders: [near] })
    expect({ end, asked: trials.length }).toEqual({ end: 'limit', asked: 1 })
  })

  test('when it is interrupted in the middle of a search', async () => {
    const stop = new AbortController()
    let searches = 0
    const second = fake((request, signal) => {
      if (++searches === 1) return answers(request)
      setTimeout(() => stop.abort(), 10)
      return hangs(request, signal)
    })
    const { end, trials } = await run({ questions, contenders: [second] }, stop.signal)
    expect({ end, asked: trials.length }).toEqual({ end: 'interrupted', asked: 1 })
  })

  test('when it is interrupted right after the last search that it may make', async () => {
    const stop = new AbortController()
    let looks = 0
    // The clock is read before a search and after it.
    const now = () => {
      if (++looks === 2) stop.abort()
      return 0
    }
    const { end, trials } = await run({ questions, contenders: [fake(answers)], maxSearches: 1, now }, stop.signal)
    expect({ end, asked: trials.length }).toEqual({ end: 'interrupted', asked: 1 })
  })
})

test('a backend that is signed out ends it with an error, since nothing would be measured', async () => {
  const running = run({ questions: [question('a', 'a')], contenders: [fake(fails('signed-out'))] })
  await expect(running).rejects.toThrow('The fake fails.')
})

test('a judge that fails leaves the answer without a verdict', async () => {
  const judge = () => Promise.reject(new Error('odd'))
  const { trials } = await run({ questions: [question('a', 'a')], contenders: [fake(answers, 'fast')], judge })
  expect(trials[0]).toMatchObject({ hasEvidence: true, isGrounded: true })
  expect([trials[0]?.isRight, trials[0]?.failure]).toEqual([undefined, undefined])
})

test('an answer is right, wrong or none, as SimpleQA counts', async () => {
  const judge = async ({ id }: Question) => (id === 'r' ? 'right' : id === 'w' ? 'wrong' : 'none')
  const questions = ['r', 'r2', 'w', 'n'].map((id) => question(id, 'a'))
  const { table } = await run({ questions, contenders: [fake(answers, 'fast')], judge })
  // Right are 1 of 4, and 1 of the 2 attempted: 2 · ¼ · ½ / (¼ + ½).
  expect(table).toContain('| 25 % (5–70) | 2/4 | 33 % |')
})

test('a published set is searched without the sites that have it, and their pages do not count', async () => {
  const row = (url: string, title: string) => ({ url, title, source: 'x', snippet: 'bees' })
  const rows = [row('https://a.example/', 'Answers of SimpleQA'), row('https://b.example/', 'Bees')]
  const executor = fakeExecutor(
    plays([
      { type: 'search-start', id: '1', query: 'q' },
      { type: 'search-results', id: '1', results: rows },
      { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 1, outputTokens: 1 }, model: 'm' },
    ]),
  )
  const urls = ['https://a.example/', 'https://b.example/']
  const questions = [
    { ...question('p', 'bees'), isPublished: true, urls },
    { ...question('o', 'bees'), urls },
  ]
  const contenders = [{ backend: 'fake', strategy: 'results' as const, executor }]
  const { trials, table } = await run({ questions, contenders })
  expect(executor.requests.map(({ filters }) => filters.excludeDomains?.includes('huggingface.co'))).toEqual([
    true,
    undefined,
  ])
  expect(trials.map(({ goldenRank, rows: count }) => [goldenRank, count])).toEqual([
    [1, 1],
    [1, 2],
  ])
  expect(table).toContain('| 100 % / 100 % / 100 % |')
})

test('two contenders are compared over the questions that both were asked', async () => {
  const rows = (url: string, snippet?: string) => ({ url, title: 'x', source: 's', ...(snippet && { snippet }) })
  const found = (snippet?: string) =>
    plays([
      { type: 'search-start', id: '1', query: 'q' },
      { type: 'search-results', id: '1', results: [rows('https://a.example/', snippet), rows('https://b.example/')] },
      {
        ...{ type: 'done', reason: 'stop', model: 'claude-haiku-4-5' },
        usage: { searches: 1, inputTokens: 1_000_000, outputTokens: 100_000 },
      },
    ])
  let time = 0
  const { table } = await run({
    questions: ['a', 'b', 'c', 'd'].map((id) => question(id, 'bees')),
    contenders: [fake(found('Bees.'), 'results', 'good'), fake(found(), 'results', 'bad')],
    now: () => (time += 1000),
  })
  expect(table).toStartWith('4 questions, 8 searches; end: complete.')
  expect(table).toContain('| good results | 4 | 100 % (51–100) |')
  expect(table).toContain('| bad results | 4 | 0 % (0–49) |')
  expect(table).toContain('| 50 % | 0 % | 1.0 s / 1.0 s | – | 1000000 / 100000 | $1.510 | 4 | 0 |')
  expect(table).toContain('| bad results − good results | −100 (−100 to −31) | – |')
})

describe('an evaluation', () => {
  const questions = ['a', 'b', 'c'].map((id) => question(id, id))
  test.each([
    ['unauthorized', 'fails'],
    ['cancelled', 'interrupted'],
    ['rate-limited', 'limit'],
    ['failed', 'complete'],
  ] as const)('in which a search or the judge ends with %s: %s', async (code, expected) => {
    const endOf = (of: Parameters<typeof run>[0]) =>
      run(of).then(
        ({ end }) => end,
        () => 'fails',
      )
    expect(await endOf({ questions, contenders: [fake(fails(code))] })).toBe(expected as never)
    const judge = () => Promise.reject(new SearchError(code, 'No.'))
    expect(await endOf({ questions, contenders: [fake(answers, 'fast')], judge })).toBe(expected as never)
  })

  test('that is stopped before it begins asks nothing', async () => {
    const executor = fakeExecutor(answers)
    const contenders = [{ backend: 'fake', strategy: 'results', executor }] as const
    expect((await run({ questions, contenders }, AbortSignal.abort())).end).toBe('interrupted')
    expect(executor.requests).toEqual([])
  })
})

test('the model that judges gets the question with its answers, and 8,000 characters of what is to be judged', async () => {
  const executor = fakeExecutor(async function* () {
    yield { type: 'text-delta', text: executor.calls.length === 1 ? '{"verdict":"none"}' : 'Right!' }
    yield { type: 'done', reason: 'stop', usage: { searches: 0, inputTokens: 1, outputTokens: 1 }, model: 'm' }
  })
  const judge = modelJudge(executor)
  const context = { signal: new AbortController().signal }
  expect(await judge(question('Q?', 'A', 'B'), 'x'.repeat(9000), context)).toBe('none')
  const [request] = executor.requests
  expect(request).toMatchObject({ want: 'text', effort: 'fast', schema: { additionalProperties: false } })
  expect(JSON.parse(request?.query ?? '')).toEqual({
    ...{ question: 'Q?', right_answer: ['A', 'B'], right_as_of: '2026-11', answer_to_judge: 'x'.repeat(8000) },
  })
  await expect(judge({ ...question('Q?', 'A'), asOf: '' }, 'x', context)).rejects.toThrow()
  expect(executor.requests[1]?.query).not.toContain('right_as_of')
})
