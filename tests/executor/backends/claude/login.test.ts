import { afterAll, afterEach, beforeAll, describe, expect, setSystemTime, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { eventually } from '@csp/testing/eventually'
import { type ClaudeFixture, startClaude, strategies } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { runningClaudes } from '../../../support/processes.ts'
import { quickClaude } from '../../../support/quick-claude.ts'
import { credentialsIn, signIn } from '../../../support/sign-in.ts'

afterEach(() => void setSystemTime())

describe('a login', () => {
  const late = ['results', 'deep'] as const
  let signingIn: ReturnType<typeof signInLate> | undefined

  /** What becomes of searches and of the health before a login and after it. Strategies search at once. */
  async function signInLate() {
    await using claude = await startClaude({ findBinary: quickClaude, variables: { CLAUDE_CODE_OAUTH_TOKEN: '' } })
    expect(existsSync(credentialsIn(claude.home))).toBe(false)
    const searchAll = () => Promise.allSettled(late.map((strategy) => claude.search('seals', strategies[strategy])))
    const before = [await searchAll(), await searchAll()]
    const { calls } = claude.sandbox.stats()
    const signedOut = await claude.executor.health()
    signIn(claude.home)
    const after = await searchAll()
    setSystemTime(Date.now() + 10_000) // the health looks again after a while
    return { before, calls, signedOut, after, signedIn: await claude.executor.health() }
  }

  test.each(late)('that comes later is found without a restart, with the strategy %s', async (strategy) => {
    signingIn ??= signInLate()
    const { before, calls, signedOut, after, signedIn } = await signingIn
    const outcomesOf = (all: (typeof before)[number]) => all[late.indexOf(strategy)]
    for (const outcomes of before) {
      const reason = { code: 'signed-out', message: expect.stringContaining('csp login') }
      expect(outcomesOf(outcomes)).toMatchObject({ status: 'rejected', reason })
    }
    expect(calls).toBe(0)
    expect(signedOut).toMatchObject({ ready: false, backends: [{ signedIn: false }] })
    const searches = [{ results: Array.from({ length: 8 }, () => expect.anything()) }]
    expect(outcomesOf(after)).toMatchObject({ status: 'fulfilled', value: { searches } })
    expect(signedIn).toMatchObject({
      ready: true,
      backends: [{ signedIn: true, authMethod: 'claude.ai', subscription: 'max' }],
    })
  })

  let claude: ClaudeFixture
  beforeAll(async () => {
    claude = await startClaude()
  })
  afterAll(() => claude[Symbol.asyncDispose]())

  const lostInTheMiddle = [
    { scenario: 'hang', kind: 'write' },
    { scenario: 'error-401', kind: 'search' },
  ] as const

  test('that is lost ends idle processes at once, and working ones when they have finished', async () => {
    await Promise.all([claude.search('seals', strategies.text), claude.search('seals', strategies.deep)])
    claude.sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'search', times: 1 }, ...lostInTheMiddle] })
    const controller = new AbortController()
    const atWork = [strategies.results, strategies.text].map((strategy) =>
      failureOf(claude.search('grey whales', strategy, controller.signal)),
    )
    await claude.sandbox.until(({ open }) => open === 2)
    expect((await failureOf(claude.search('seals', strategies.results))).code).toBe('signed-out')
    await eventually(() => runningClaudes().searcher.length === 0)
    const { direct, writer } = runningClaudes()
    expect([direct.length, writer.length, claude.sandbox.stats().open]).toEqual([1, 1, 2])
    controller.abort()
    for (const failure of atWork) expect((await failure).code).toBe('cancelled')
    await eventually(() => Bun.deepEquals(runningClaudes(), { direct: [], writer: [], searcher: [] }))
    claude.sandbox.configure({ scenario: 'ok' })
    expect((await claude.search('seals', strategies.standard)).citations).not.toEqual([])
  })

  test('that is lost leaves no process that close() does not end', async () => {
    claude.sandbox.reset()
    claude.sandbox.configure({ scenario: lostInTheMiddle })
    const writing = failureOf(claude.search('grey whales', strategies.text))
    await claude.sandbox.until(({ callsByKind }) => callsByKind.write === 1)
    expect((await failureOf(claude.search('seals', strategies.results))).code).toBe('signed-out')
    await claude.executor.close()
    expect((await writing).code).toBe('unavailable')
    expect(runningClaudes()).toEqual({ direct: [], writer: [], searcher: [] })
  })
})
