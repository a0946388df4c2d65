import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { modelJudge } from '../../src/eval/judge.ts'
import { tableOf } from '../../src/eval/table.ts'
import type { Executor } from '../../src/executor/executor.ts'
import type { Scenario } from '../../src/sandbox/scenario.ts'
import { type ClaudeFixture, startClaude } from '../support/claude-executor.ts'
import { question, run } from './evaluation.ts'

setDefaultTimeout(60_000)

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
