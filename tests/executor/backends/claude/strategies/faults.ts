import { describe, expect, test } from 'bun:test'
import type { ModelCallKind } from '@csp/sandbox/sandbox'
import type { Scenario } from '@csp/sandbox/scenario'
import { inventedUrls } from '../../../../../packages/sandbox/src/replies/model-text.ts'
import type { SearchError, SearchErrorCode } from '../../../../../src/domain/error.ts'
import { type StrategyName, strategies, strategyNames } from '../../../../support/claude-executor.ts'
import { failureOf } from '../../../../support/failure-of.ts'
import { claude } from './stand-in.ts'

const { sandbox } = claude

const search = (strategy: StrategyName) => claude.search('harbour seals', strategies[strategy])
const play = (scenario: Scenario, kind?: ModelCallKind) => sandbox.configure({ scenario: [{ scenario, kind }] })
const kindsOf = () => sandbox.requests().map(({ kind }) => kind)

/** Fails on this strategy with this code, and the next search works. */
async function expectFailure(strategy: StrategyName, code: SearchErrorCode) {
  const failure = await failureOf(search(strategy))
  expect(failure.code).toBe(code)
  sandbox.configure({ scenario: 'ok' })
  expect((await search(strategy)).reason).toBe('stop')
  return failure
}

describe('a spent usage limit', () => {
  /** The CLI tells minutes, and the test goes on for a few seconds after it was told. */
  function expectUntil(resetsAt: Date, retryAfterSeconds = 0): void {
    const late = retryAfterSeconds - (resetsAt.getTime() - Date.now()) / 1000
    expect(late).toBeGreaterThanOrEqual(-1)
    expect(late).toBeLessThan(75)
  }

  test.each(strategyNames)('is reported with its end, with the strategy %s', async (strategy) => {
    const limitResetsAt = new Date(Date.now() + 5_400_000)
    sandbox.configure({ scenario: 'error-429', limitResetsAt })
    const { retryAfterSeconds } = await expectFailure(strategy, 'rate-limited')
    expectUntil(limitResetsAt, retryAfterSeconds)
  })

  test('is reported in the middle of deep too, and shown in the health', async () => {
    const limitResetsAt = new Date(Date.now() + 1_800_000)
    sandbox.configure({ scenario: [{ scenario: 'error-429', kind: 'write' }], limitResetsAt })
    const { retryAfterSeconds } = await expectFailure('deep', 'rate-limited')
    expectUntil(limitResetsAt, retryAfterSeconds)
    const [backend] = (await claude.executor.health()).backends
    expect(backend?.lastError?.code).toBe('rate-limited')
    expect(backend?.rateLimit).toMatchObject({ status: 'allowed', window: 'five_hour' }) // of the search that worked
  })
})

describe('an error of the search tool', () => {
  const codes = {
    'search-too-many-requests': 'unavailable',
    'search-max-uses-exceeded': 'unavailable',
    'search-unavailable': 'unavailable',
    'search-query-too-long': 'invalid-request',
  } as const

  describe.each(['results', 'fast', 'standard', 'deep'] as const)('with the strategy %s', (strategy) => {
    test.each(Object.entries(codes))('%s is reported as %s', async (scenario, code) => {
      play(scenario as keyof typeof codes)
      const { code: found, retryAfterSeconds } = await failureOf(search(strategy))
      expect(found).toBe(code)
      expect(kindsOf()).toEqual(strategy === 'deep' ? ['decide', 'search', 'write'] : ['search'])
      expect(retryAfterSeconds).toBe(scenario === 'search-too-many-requests' ? 2 : undefined)
    })
  })

  test('is not the same as an empty result, whose answer says that nothing was found', async () => {
    play('empty')
    for (const strategy of ['results', 'fast', 'standard', 'deep'] as const) {
      const { searches, text, reason } = await search(strategy)
      expect({ found: searches.map(({ results }) => results.length), reason }).toEqual({ found: [0], reason: 'stop' })
      expect(text).toMatch(strategy === 'results' ? /^$/ : /no pages/)
    }
  })
})

describe('a model that does not search', () => {
  test.each(['results', 'fast', 'standard'] as const)(
    'is asked once more with the strategy %s, and then the answer is ungrounded',
    async (strategy) => {
      play('no-search')
      await failureOf(search(strategy)).then(({ code }) => expect(code).toBe('ungrounded'))
      expect(kindsOf()).toEqual(['search', 'search'])
      sandbox.reset()
      sandbox.configure({ scenario: [{ scenario: 'no-search', times: 1 }] })
      expect((await search(strategy)).searches[0]?.results).toHaveLength(8)
    },
  )

  test('is cleared and asked to search with the strategy deep, and then the answer is ungrounded', async () => {
    play('no-search')
    const { code } = await failureOf(search('deep'))
    expect({ code, calls: kindsOf() }).toEqual({ code: 'ungrounded', calls: ['decide', 'decide'] })
    const [first, second] = sandbox.requests().map(({ body }) => JSON.stringify(body.messages))
    expect(first).not.toContain('You must call WebSearch')
    expect(second).toContain('You must call WebSearch')
    expect(second).not.toContain('from memory')
    sandbox.reset()
    sandbox.configure({ scenario: [{ scenario: 'no-search', times: 1 }] })
    const { text, searches } = await search('deep')
    expect(searches).toHaveLength(1)
    expect(text).not.toContain('memory')
  })

  test('or refuses to, gives an ungrounded answer where the CLI does not report the refusal', async () => {
    for (const strategy of ['results', 'standard'] as const) {
      play('refusal')
      await expectFailure(strategy, 'ungrounded')
    }
  })
})

describe('the answer of a careless model', () => {
  test.each(['fast', 'standard', 'deep'] as const)(
    'has none of the URLs that it invented, with the strategy %s',
    async (strategy) => {
      play('invented-url')
      const answer = await search(strategy)
      for (const url of inventedUrls) expect(JSON.stringify(answer)).not.toContain(url.replace('https://', ''))
      expect(answer.text).not.toMatch(/https?:/)
      expect(answer.citations.length).toBeGreaterThan(1)
    },
  )

  test.each(['fast', 'standard', 'deep'] as const)(
    'has no list of sources at its end, with the strategy %s',
    async (strategy) => {
      play('trailing-sources')
      const { text, citations } = await search(strategy)
      expect(text).not.toMatch(/Sources:|https?:/)
      expect(citations.length).toBeGreaterThan(1)
    },
  )

  test.each(['results', 'standard'] as const)(
    'has pages although it wrote no lines, and keeps its prose, with the strategy %s',
    async (strategy) => {
      play('non-compliant')
      const { searches } = await search(strategy)
      expect(searches[0]?.results).toHaveLength(8)
      if (strategy === 'results') return
      const prompt = JSON.stringify(sandbox.requests().at(-1)?.body.messages)
      expect(prompt).toContain('invented pages were found')
    },
  )

  test('has no text from before its search', async () => {
    play('preamble')
    for (const strategy of ['fast', 'deep'] as const)
      expect((await search(strategy)).text).not.toContain('a search comes first')
  })
})

// The last of these, since csp ends every process when its login is lost.
describe('a refusal of the API', () => {
  const failures = {
    'error-400': { code: 'invalid-request', words: 'invalid' },
    'error-401': { code: 'signed-out', words: 'csp login' },
    'error-403': { code: 'signed-out', words: 'plan' },
    'error-500': { code: 'unavailable', words: 'has failed (500)' },
    'error-529': { code: 'unavailable', words: 'overloaded' },
  } as const

  test.each([
    ['standard', 'write'],
    ['deep', 'search'],
    ['deep', 'write'],
  ] as const)('in the middle of %s, at its call to %s, fails the whole answer', async (strategy, kind) => {
    play('error-529', kind)
    await expectFailure(strategy, 'unavailable')
  })

  const refused = ['results', 'deep', 'text'] as const
  const met = new Map<string, ReturnType<typeof meet>>()

  /**
   * How each strategy fails, and its next search. They meet it at once, so that processes are replaced once; but one after
   * the other where the login is lost, since the first that learns it ends the processes of the others.
   */
  async function meet(scenario: keyof typeof failures) {
    play(scenario)
    const failed: PromiseSettledResult<SearchError>[] = []
    const groups = failures[scenario].code === 'signed-out' ? refused.map((one) => [one]) : [refused]
    for (const group of groups)
      failed.push(...(await Promise.allSettled(group.map((strategy) => failureOf(search(strategy))))))
    sandbox.configure({ scenario: 'ok' })
    const next = await Promise.allSettled(refused.map(search))
    return (strategy: (typeof refused)[number]) => {
      const [failure, answer] = [failed[refused.indexOf(strategy)], next[refused.indexOf(strategy)]]
      if (failure?.status !== 'fulfilled') throw failure?.reason
      if (answer?.status !== 'fulfilled') throw answer?.reason
      return { failure: failure.value, answer: answer.value }
    }
  }

  describe.each(refused)('with the strategy %s', (strategy) => {
    test.each(Object.entries(failures))('gets the right error for %s', async (scenario, { code, words }) => {
      const meeting = met.get(scenario) ?? meet(scenario as keyof typeof failures)
      met.set(scenario, meeting)
      const { failure, answer } = (await meeting)(strategy)
      expect(failure.code).toBe(code)
      expect(failure.message).toContain(words)
      expect(answer.reason).toBe('stop')
    })
  })
})
