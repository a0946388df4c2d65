import { describe, expect, test } from 'bun:test'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import type { Account, CallKind } from '../../../../src/executor/executor.ts'
import { OpenAccount } from '../../../../src/executor/layers/metering/account.ts'
import type { Part } from '../../../../src/executor/layers/metering/budget.ts'
import { nothing } from '../../../../src/executor/layers/metering/ledger.ts'
import { failureOf } from '../../../support/failure-of.ts'

/** The account of a request, with the entries of the places that its calls take. */
function setUp({ hasRoom = true } = {}) {
  const happened: string[] = []
  const entered: Part[] = []
  const account = new OpenAccount(async () => {
    happened.push('a place is asked for')
    await Bun.sleep(0)
    if (!hasRoom) throw new SearchError('rate-limited', 'There is no place.')
    return {
      async settle(of) {
        await Bun.sleep(0)
        entered.push(...of)
      },
    }
  })
  const call = async (kind: CallKind, backend: string, ...events: readonly (SearchEvent | SearchErrorCode)[]) => {
    async function* start(paid: Account) {
      paid.reached()
      happened.push(`${backend} starts`)
      for (const event of events) {
        if (typeof event === 'string') throw new SearchError(event, 'It broke.')
        yield event
      }
    }
    return Array.fromAsync(account.enter(kind, backend, start))
  }
  return { account, call, entered, happened }
}

const done = (searches: number, inputTokens: number, outputTokens: number): SearchEvent => ({
  ...{ type: 'done', reason: 'stop', usage: { searches, inputTokens, outputTokens }, model: 'm' },
})
const spent = { ...nothing, requests: 1, searches: 9, inputTokens: 150, outputTokens: 30 }

describe('of what a request costs', () => {
  test('each backend gets its own part, and the first list the rest', async () => {
    const { account, call, entered, happened } = setUp()
    const named: SearchEvent = { type: 'backend', name: 'haiku' }
    expect(await call('list', 'brave', done(2, 5, 1))).toEqual([done(2, 5, 1)])
    expect(happened).toEqual(['brave starts'])
    await call('list', 'searxng', done(0, 0, 0))
    expect(await call('further-list', 'exa', done(3, 10, 2))).toEqual([done(3, 10, 2)])
    expect(happened.slice(2)).toEqual(['a place is asked for', 'exa starts'])
    expect(entered).toEqual([{ ...nothing, backend: 'exa', searches: 3, inputTokens: 10, outputTokens: 2 }])
    expect(await call('text', 'claude', named, done(0, 100, 20))).toEqual([named, done(0, 100, 20)])
    await call('text', 'opus', done(0, 7, 3))
    expect(happened).toHaveLength(6) // A text takes no place.
    expect(account.of('claude', spent)).toEqual([
      { ...spent, backend: 'brave', searches: 3, inputTokens: 150 - 10 - 100 - 7, outputTokens: 30 - 2 - 20 - 3 },
      { ...nothing, requests: 1, backend: 'haiku', inputTokens: 100, outputTokens: 20 },
      { ...nothing, requests: 1, backend: 'opus', inputTokens: 7, outputTokens: 3 },
    ])
  })

  test('a text that the same backend wrote is in its part', async () => {
    const { account, call } = setUp()
    await call('text', 'claude', done(0, 100, 20))
    expect(account.of('claude', spent)).toEqual([{ ...spent, backend: 'claude' }])
    await call('list', 'brave', done(1, 0, 0))
    expect(account.of('claude', spent).map(({ backend }) => backend)).toEqual(['brave', 'claude'])
  })

  test('nothing is less than nothing', async () => {
    const { account, call } = setUp()
    await call('further-list', 'exa', done(1, 200, 40))
    expect(account.of('claude', spent)).toEqual([{ ...spent, backend: 'claude', inputTokens: 0, outputTokens: 0 }])
  })

  test('a list that reports no search counts as one, and a list that fails as the failure says', async () => {
    for (const [end, searches] of [
      [done(0, 0, 0), 1],
      ['failed', 1],
      ['unavailable', 0],
    ] as const) {
      const { account, call, entered } = setUp()
      const outcomes = await Promise.allSettled([call('list', 'brave', end), call('further-list', 'exa', end)])
      expect(outcomes.map(({ status }) => status)).toEqual(
        Array(2).fill(typeof end === 'string' ? 'rejected' : 'fulfilled'),
      )
      expect(account.of('claude', spent)[0].searches).toBe(searches)
      expect(entered.map((part) => part.searches)).toEqual([searches])
    }
  })

  test('a list that is left early has searched', async () => {
    const { account } = setUp()
    const start = async function* (paid: Account) {
      paid.reached()
      yield done(5, 0, 0)
    }
    for await (const _ of account.enter('list', 'brave', start)) break
    expect(account.of('claude', spent)[0]).toMatchObject({ backend: 'brave', searches: 5 })
  })
})

test('lists that are left before they reach their backends have not searched', async () => {
  const { account, entered } = setUp()
  const waiting = async function* () {
    yield* []
    throw new SearchError('cancelled', 'The caller left.')
  }
  for (const kind of ['list', 'further-list'] as const)
    await failureOf(Array.fromAsync(account.enter(kind, 'brave', waiting)))
  expect([account.of('claude', spent)[0].searches, entered[0]?.searches]).toEqual([0, 0])
})

test('a further list for which there is no place is not begun', async () => {
  const { call, happened } = setUp({ hasRoom: false })
  await call('list', 'brave', done(1, 0, 0))
  expect((await failureOf(call('further-list', 'exa', done(1, 0, 0)))).code).toBe('rate-limited')
  expect(happened).toEqual(['brave starts', 'a place is asked for'])
})
