import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Contender, Strategy } from '../../src/eval/contender.ts'
import { type EvaluationPlan, evaluate, type Trial } from '../../src/eval/evaluate.ts'
import { modelJudge } from '../../src/eval/judge.ts'
import type { Question } from '../../src/eval/questions/question.ts'
import { reportOf } from '../../src/eval/report.ts'
import { tableOf } from '../../src/eval/table.ts'
import type { Executor } from '../../src/executor/executor.ts'
import type { Scenario } from '../../src/sandbox/scenario.ts'
import { type ClaudeFixture, startClaude } from '../support/claude-executor.ts'
import { answers, fails, fakeExecutor, hangs, plays } from '../support/fake-executor.ts'

setDefaultTimeout(60_000)

const question = (id: string, ...expected: string[]): Question => ({
  ...{ id, question: id, answers: expected, kind: 'own', asOf: '2026-11' },
})

async function run(
  plan: Partial<EvaluationPlan> & Pick<EvaluationPlan, 'contenders' | 'questions'>,
  signal = new AbortController().signal,
) {
  const trials: Trial[] = []
  const running = evaluate({ maxSearches: 1000, now: () => 0, ...plan }, signal)
  for (;;) {
    const { done, value } = await running.next()
    if (done) return { end: value, trials, report: reportOf(plan.contenders, trials, value) }
    trials.push(value)
  }
}

const fake = (
  script: Parameters<typeof fakeExecutor>[0],
  strategy: Strategy = 'results',
  backend = 'fake',
): Contender => ({
  ...{ backend, strategy, executor: fakeExecutor(script) },
})

describe('on the sandbox', () => {
  let claude: ClaudeFixture
  beforeAll(async () => {
    claude = await startClaude()
  })
  afterAll(() => claude[Symbol.asyncDispose]())

  /** A strategy on which each model call meets a scenario. */
  const playing = (scenario: Scenario): Executor => ({
    ...claude.executor,
    search(request, context) {
      claude.sandbox.configure({ scenario })
      return claude.executor.search(request, context)
    },
  })

  test('a strategy that is made worse shows in the table, and in the interval of the difference', async () => {
    // Titles have the question; only the lines that the search call writes have these words.
    const questions = ['seals', 'bees', 'tides', 'moss', 'owls', 'ferns', 'eels', 'rooks'].map((id) =>
      question(id, 'Five invented experts disagree', 'The sandbox invented this page', 'An invented overview'),
    )
    const contenders = [
      { backend: 'claude', strategy: 'results', executor: playing('ok') },
      { backend: 'worse', strategy: 'results', executor: playing('non-compliant') },
    ] as const
    const { report } = await run({ questions, contenders })
    const [good, worse] = report.summaries
    expect(good).toMatchObject({ evidence: { hits: 8, of: 8 }, withExcerpt: 1, modelCalls: 1, failures: 0 })
    expect(worse).toMatchObject({ evidence: { hits: 0, of: 8 }, withExcerpt: 0, failures: 0 })
    const [comparison] = report.comparisons
    expect(comparison).toMatchObject({ name: 'worse results', evidence: { difference: -1, onlyFirst: 8 } })
    expect(comparison?.evidence?.high).toBeLessThan(-0.4)
    const table = tableOf(report)
    expect(table).toMatch(/\| claude results +\| 8 \| 100 % \(68–100\) \|/)
    expect(table).toMatch(/\| worse results +\| 8 \| 0 % \(0–32\) +\|/)
    expect(table).toMatch(/\| worse results − claude results \| −100 \(−100 to −[4-9]\d\)/)
  })

  test('each strategy is counted: model calls, tokens, price, and grounded answers', async () => {
    const contenders = (['fast', 'standard', 'deep'] as const).map((strategy) => ({
      ...{ backend: 'claude', strategy, executor: playing('ok') },
    }))
    const { trials, report } = await run({ questions: [question('harbour seals', 'invented')], contenders })
    expect(trials.map(({ modelCalls }) => modelCalls)).toEqual([1, 2, 3])
    expect(trials.map(({ isGrounded, isRight }) => ({ isGrounded, isRight }))).toEqual(
      contenders.map(() => ({ isGrounded: true, isRight: true })),
    )
    const [fast, standard, deep] = report.summaries
    expect(fast).toMatchObject({ listPrice: 0.01 })
    expect(fast?.outputTokens).toBeUndefined() // the CLI says nothing of them over MCP
    for (const strategy of [standard, deep]) expect(strategy?.listPrice).toBeGreaterThan(0.01)
  })

  test('the judge is a model call without a search', async () => {
    claude.sandbox.reset()
    claude.sandbox.configure({ scenario: 'ok' })
    const judge = modelJudge(claude.executor)
    const context = { signal: new AbortController().signal }
    // The stand-in takes the first choice of a schema.
    expect(await judge(question('Q?', 'A'), 'It is A.', context)).toBe('right')
    const [call] = claude.sandbox.requests()
    expect(claude.sandbox.requests()).toHaveLength(1)
    expect(call?.kind).toBe('write')
    expect(JSON.stringify(call?.body)).toContain('answer_to_judge')
  })
})

test('the contenders take turns in going first', async () => {
  const contenders = [fake(answers, 'results', 'one'), fake(answers, 'results', 'two')]
  const { end, trials } = await run({ questions: [question('a', 'a'), question('b', 'b')], contenders })
  expect(end).toBe('complete')
  expect(trials.map((trial) => `${trial.question} ${trial.backend}`)).toEqual(['a one', 'a two', 'b two', 'b one'])
  expect(trials.every(({ hasEvidence }) => hasEvidence)).toBe(true)
})

test('nothing is cached', async () => {
  const executor = fakeExecutor(answers)
  await run({ questions: [question('a', 'a')], contenders: [{ backend: 'fake', strategy: 'results', executor }] })
  expect(executor.calls.map(({ context }) => context.cache)).toEqual(['no-store'])
})

test('a search that fails has no evidence and no right answer', async () => {
  const questions = [question('a', 'a')]
  const { trials, report } = await run({ questions, contenders: [fake(fails('timeout'), 'standard')] })
  expect(trials[0]).toMatchObject({ hasEvidence: false, isRight: false, failure: 'timeout', searches: 1 })
  expect(report.summaries[0]).toMatchObject({ failures: 1, right: { hits: 0, of: 1 }, grounded: undefined })
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
  const { report } = await run({ questions: [question('a', 'a')], contenders: [fake(invented, 'deep')] })
  expect(report.summaries[0]).toMatchObject({ grounded: { hits: 0, of: 1 }, right: { hits: 1, of: 1 } })
  expect(tableOf(report)).toMatch(/\| 0\/1 /)
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
})

test('a backend that is signed out ends it with an error, since nothing would be measured', async () => {
  const running = run({ questions: [question('a', 'a')], contenders: [fake(fails('signed-out'))] })
  await expect(running).rejects.toThrow('The fake fails.')
})

test('a judge that fails leaves the answer without a verdict', async () => {
  const judge = () => Promise.reject(new Error('odd'))
  const { report } = await run({ questions: [question('a', 'a')], contenders: [fake(answers, 'fast')], judge })
  expect(report.summaries[0]).toMatchObject({ right: undefined, failures: 0, evidence: { hits: 1 } })
})

test('an answer is right, wrong or none, as SimpleQA counts', async () => {
  const judge = async ({ id }: Question) => (id === 'r' ? 'right' : id === 'w' ? 'wrong' : 'none')
  const questions = ['r', 'r2', 'w', 'n'].map((id) => question(id, 'a'))
  const { report } = await run({ questions, contenders: [fake(answers, 'fast')], judge })
  expect(report.summaries[0]).toMatchObject({ right: { hits: 1, of: 4 }, attempted: { hits: 2, of: 4 } })
  // Right are 1 of 4, and 1 of the 2 attempted: 2 · ¼ · ½ / (¼ + ½).
  expect(report.summaries[0]?.fScore).toBeCloseTo(1 / 3)
  expect(tableOf(report)).toContain('| 2/4 ')
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
  const { trials, report } = await run({ questions, contenders })
  expect(executor.requests.map(({ filters }) => filters.excludeDomains?.includes('huggingface.co'))).toEqual([
    true,
    undefined,
  ])
  expect(trials.map(({ goldenRank, rows: count }) => [goldenRank, count])).toEqual([
    [1, 1],
    [1, 2],
  ])
  expect(tableOf(report)).toContain('| 100 % / 100 % / 100 % ')
  expect(tableOf(report)).not.toContain('Attempted')
})
