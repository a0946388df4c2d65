import { describe, expect, test } from 'bun:test'
import { SearchError } from '../../src/domain/error.ts'
import { requestFor } from '../../src/eval/contender.ts'
import { modelJudge } from '../../src/eval/judge.ts'
import type { Question } from '../../src/eval/questions/question.ts'
import { tableOf } from '../../src/eval/table.ts'
import { answers, fails, fakeExecutor, hangs, plays } from '../support/fake-executor.ts'
import { fake, question, run } from './evaluation.ts'

test('the contenders take turns in going first', async () => {
  const contenders = [fake(answers, 'results', 'one'), fake(answers, 'results', 'two')]
  const { end, trials } = await run({ questions: [question('a', 'a'), question('b', 'b')], contenders })
  expect(end).toBe('complete')
  expect(trials.map((trial) => `${trial.question} ${trial.backend}`)).toEqual(['a one', 'a two', 'b two', 'b one'])
  expect(trials.every(({ hasEvidence }) => hasEvidence)).toBe(true)
})

test('nothing is cached, and answers are wanted whole', async () => {
  const executor = fakeExecutor(answers)
  await run({ questions: [question('a', 'a')], contenders: [{ backend: 'fake', strategy: 'results', executor }] })
  expect(executor.calls.map(({ context: { cache, isWhole } }) => ({ cache, isWhole }))).toEqual([
    { cache: 'no-store', isWhole: true },
  ])
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

describe('a trial', () => {
  const row = (host: string, more = {}) => ({ url: `https://${host}.example/`, title: host, source: 'x', ...more })
  const rows = [
    row('bees', { snippet: 'Bees.', publishedAt: '2026-01-02' }),
    row('wasps', { snippet: 'Wasps.' }),
    row('ants'),
  ]
  const usage = { searches: 2, inputTokens: 30, outputTokens: 4 }
  const answered = (text: string) =>
    plays([
      { type: 'search-start', id: '1', query: 'q' },
      { type: 'search-results', id: '1', results: rows },
      ...(text ? [{ type: 'text-delta', text } as const] : []),
      { type: 'done', reason: 'stop', usage, model: 'm' },
    ])
  const common = { kind: 'own', backend: 'fake', ms: 10, modelCalls: 0 }
  const found = { hasEvidence: true, rows: 3, rowsWithExcerpt: 2, rowsWithDate: 1, ...usage, model: 'm' }
  const nothing = { hasEvidence: false, rows: 0, rowsWithExcerpt: 0, rowsWithDate: 0, model: '', searches: 1 }
  const unused = { inputTokens: 0, outputTokens: 0 }
  const ticking = () => {
    let time = 0
    return () => (time += 10)
  }
  const trialOf = async (contender: ReturnType<typeof fake>, urls?: readonly string[]) => {
    const asked = { ...question('bees', 'bees'), urls }
    return (await run({ questions: [asked], contenders: [contender], now: ticking() })).trials[0]
  }

  test('of a list has its rows, and of an answer what it says', async () => {
    expect(await trialOf(fake(answered('')))).toEqual({ question: 'bees', strategy: 'results', ...common, ...found })
    for (const [text, isRight, isAttempted] of [
      ['It is bees.', true, true],
      ['It is ants.', false, true],
      [' ', false, false],
    ] as const)
      expect(await trialOf(fake(answered(text), 'deep'))).toEqual({
        ...{ question: 'bees', strategy: 'deep', ...common, ...found },
        ...{ isRight, isAttempted, isGrounded: true, citations: 0 },
      })
  })

  test('that failed has nothing, and the page that is looked for is in no place', async () => {
    const failure = { ...common, ...nothing, ...unused, question: 'bees', failure: 'timeout' } as const
    const contender = fake(fails('timeout'))
    expect(await trialOf(contender)).toEqual({ ...failure, strategy: 'results' })
    expect(await trialOf(contender, [])).toEqual({ ...failure, strategy: 'results' })
    expect(await trialOf(contender, ['https://bees.example/'])).toEqual({
      ...failure,
      strategy: 'results',
      goldenRank: 0,
    })
    expect(await trialOf(fake(fails('timeout'), 'fast'))).toEqual({
      ...{ ...failure, strategy: 'fast', isRight: false, isAttempted: false },
    })
  })

  test('counts the searches and the model calls that were seen', async () => {
    const executor = fakeExecutor(async function* () {
      for (const id of ['1', '2', '3']) {
        executor.calls[0]?.context.trace?.modelCalled()
        yield { type: 'search-start', id, query: 'q' }
        yield { type: 'search-results', id, results: [] }
      }
      yield { type: 'done', reason: 'stop', usage, model: 'm' }
    })
    expect(await trialOf({ backend: 'fake', strategy: 'results', executor })).toMatchObject({
      searches: 3,
      modelCalls: 3,
    })
    const failing = fakeExecutor(async function* () {
      for (const id of ['1', '2']) yield { type: 'search-start', id, query: 'q' }
      throw new SearchError('failed', 'It broke.')
    })
    expect(await trialOf({ backend: 'fake', strategy: 'results', executor: failing })).toMatchObject({ searches: 2 })
  })

  test('sends what a caller of the strategy would', () => {
    const filters = { language: 'de' }
    const common = { query: 'q', history: [], filters }
    expect(requestFor('results', 'q', filters)).toEqual({ ...common, want: 'results', effort: 'fast', limit: 10 })
    expect(requestFor('deep', 'q', filters)).toEqual({ ...common, want: 'answer', effort: 'deep' })
  })
})

describe('an evaluation', () => {
  const questions = ['a', 'b', 'c'].map((id) => question(id, id))
  const warned = () => {
    const executor = fakeExecutor(answers)
    const rateLimit = { status: 'allowed_warning' }
    const health = async () => ({ ready: true, backends: [{ name: 'fake', ready: true, rateLimit }] })
    return { backend: 'fake', strategy: 'results', executor: { ...executor, health } } as const
  }

  test('leaves out what was asked before, and goes on at a warning where it shall', async () => {
    const isKnown = ({ id }: Question) => id === 'b'
    const { end, trials } = await run({ questions, contenders: [warned()], isKnown, goesOn: true })
    expect({ end, asked: trials.map(({ question }) => question) }).toEqual({ end: 'complete', asked: ['a', 'c'] })
  })

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

  test('ends with a failure that would be that of every search', async () => {
    const endsAll = ({ code }: SearchError) => code === 'unavailable'
    const running = run({ questions, contenders: [fake(fails('unavailable'))], endsAll })
    await expect(running).rejects.toThrow('The fake fails.')
    expect((await run({ questions, contenders: [fake(fails('busy'))], endsAll })).end).toBe('complete')
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
