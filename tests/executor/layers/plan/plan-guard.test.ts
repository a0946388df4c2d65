import { describe, expect, test } from 'bun:test'
import { deferred } from '@csp/lib/deferred'
import type { RateLimitHealth } from '../../../../src/domain/health.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { PlanGuard, type PlanGuardOptions } from '../../../../src/executor/layers/plan/plan-guard.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const start = Date.parse('2026-11-22T10:00:00Z')
const fiveHours = '2026-11-22T12:00:00.000Z'
const week = '2026-11-25T12:00:00.000Z'

const list = requestFor('q', { want: 'results' })
const answer = requestFor('q', { want: 'answer' })
const deep = requestFor('q', { want: 'answer', effort: 'deep' })
const opus = requestFor('q', { want: 'answer', model: 'opus' })

interface Setup extends Partial<PlanGuardOptions> {
  /** What the CLI answers, one after another; the last one from then on. */
  readonly usage?: readonly (RateLimitHealth | undefined)[]
}

function guardWith({ usage = [undefined], ...options }: Setup = {}) {
  let now = start
  let asked = 0
  const said: string[] = []
  const guard = new PlanGuard({
    reserve: 0.1,
    planOnly: true,
    modelsOf: ({ want, model = 'sonnet' }) => [want === 'results' ? 'haiku' : model],
    ask: async () => usage[Math.min(asked++, usage.length - 1)],
    log: (level, message) => void said.push(`${level}: ${message}`),
    now: () => now,
    ...options,
  })
  return {
    guard,
    said,
    asked: () => asked,
    pass: (ms: number) => {
      now += ms
    },
    /** Which of some searches are admitted. */
    async admitted(requests: Readonly<Record<string, SearchRequest>> = { deep, answer, list }, caller?: string) {
      const names: string[] = []
      for (const [name, request] of Object.entries(requests)) {
        const end = await guard.admit(request, caller).catch(() => undefined)
        end?.()
        if (end) names.push(name)
      }
      return names
    },
  }
}

function used(utilization: number, window = 'five_hour', resetsAt = fiveHours): RateLimitHealth {
  return { status: 'allowed', windows: [{ window, utilization, resetsAt }] }
}

describe('the reserve of a plan', () => {
  test.each([
    [0.5, ['deep', 'answer', 'list']],
    [0.79, ['deep', 'answer', 'list']],
    [0.8, ['answer', 'list']],
    [0.85, ['list']],
    [0.89, ['list']],
    [0.9, []],
    [1.02, []],
  ])('at %p used, what costs most has stopped first', async (share, expected) => {
    const { guard, admitted } = guardWith()
    guard.note(used(share))
    expect(await admitted()).toEqual(expected)
  })

  test('stops what a research has planned and written with what is deep, and its lists last', async () => {
    const part = { effort: 'deep', research: 'medium' } as const
    const plan = requestFor('q', { ...part, want: 'text' })
    const parts = { plan, report: requestFor('q', { ...part, want: 'answer', sources: [] }), list }
    const { guard, admitted } = guardWith()
    guard.note(used(0.79))
    expect(await admitted(parts)).toEqual(['plan', 'report', 'list'])
    guard.note(used(0.81))
    expect(await admitted(parts)).toEqual(['list'])
  })

  test('is that of any window, the week as well, and of one with an unknown name', async () => {
    for (const window of ['seven_day', 'month', 'seven_day_overage_included']) {
      const { guard, admitted } = guardWith()
      guard.note(used(0.95, window, week))
      expect(await admitted()).toEqual([])
    }
  })

  test('of a window for one model concerns that model alone', async () => {
    const { guard, admitted } = guardWith()
    guard.note(used(0.95, 'seven_day_opus', week))
    expect(await admitted({ list, answer, opus })).toEqual(['list', 'answer'])
  })

  test('says which window it is, how much is used, and when it ends', async () => {
    const { guard } = guardWith()
    guard.note(used(0.912))
    expect(await failureOf(guard.admit(list, undefined))).toMatchObject({
      code: 'rate-limited',
      message: "91% of Claude's 5-hour limit is used; the last 10% is kept for its owner (--plan-reserve).",
      retryAfterSeconds: 7200,
    })
  })

  test('that a reading shows as used ends with the window, not with the next reading', async () => {
    const { guard } = guardWith({ usage: [used(0.95)] })
    await guard.refresh()
    expect((await failureOf(guard.admit(list, undefined))).retryAfterSeconds).toBe(7200)
  })

  test.each([
    ['the window that ends last', used(0.96, 'five_hour'), used(0.95, 'seven_day', week), '95%'],
    ['a window that is surely used, before one that probably is', used(0.96), used(0.899, 'seven_day', week), '96%'],
  ])('is explained by %s, in whatever order they come', async (_, first, second, part) => {
    for (const limits of [
      [first, second],
      [second, first],
    ]) {
      const windows = limits.flatMap(({ windows = [] }) => windows)
      const { guard } = guardWith({ usage: [{ status: 'allowed', windows }], reserve: 0.1 })
      await guard.refresh()
      for (let search = 0; search < 3; search++) await guard.admit(list, undefined).catch(() => {})
      expect((await failureOf(guard.admit(list, undefined))).message).toStartWith(part)
    }
  })

  test('of a window for one model concerns it under every spelling', async () => {
    const { guard, admitted } = guardWith({ modelsOf: () => ['Claude-OPUS-4'] })
    guard.note(used(0.95, 'seven_day_opus', week))
    expect(await admitted({ list })).toEqual([])
  })

  test('is over when the window ends', async () => {
    const { guard, admitted, pass } = guardWith()
    guard.note(used(0.95))
    expect(await admitted()).toEqual([])
    pass(7_200_001)
    expect(await admitted()).toEqual(['deep', 'answer', 'list'])
  })

  test('of a caller stops it before the others', async () => {
    const { guard, admitted } = guardWith({ reserveOf: (caller) => (caller === 'agent' ? 0.5 : undefined) })
    guard.note(used(0.55))
    expect(await admitted(undefined, 'desk')).toEqual(['deep', 'answer', 'list'])
    expect(await admitted(undefined, 'agent')).toEqual([])
    const { message } = await failureOf(guard.admit(list, 'agent'))
    expect(message).toContain('the key "agent" leaves the last 50%')
  })

  test('of a caller that leaves no more than the others is the owner’s', async () => {
    const { guard } = guardWith({ reserveOf: () => 0.1 })
    guard.note(used(0.95))
    expect((await failureOf(guard.admit(list, 'agent'))).message).toContain('kept for its owner')
  })

  test('of nothing is not named where the plan is used up', async () => {
    const { guard } = guardWith({ reserve: 0 })
    guard.note(used(1))
    expect((await failureOf(guard.admit(list, undefined))).message).toBe("100% of Claude's 5-hour limit is used.")
  })

  test('of nothing lets a plan be used up', async () => {
    const { guard, admitted } = guardWith({ reserve: 0 })
    guard.note(used(0.99))
    expect(await admitted()).toEqual(['deep', 'answer', 'list'])
  })
})

describe('searches that would be paid beyond the plan', () => {
  const usedUp: RateLimitHealth = { ...used(1), status: 'rejected', window: 'five_hour', resetsAt: fiveHours }

  test.each([
    ['extra usage is paid already', { ...used(0.5), overage: { inUse: true } }],
    ['the plan is used up and extra usage is on', { ...usedUp, overage: { inUse: false, status: 'allowed' } }],
    ['extra usage is on, and near its own limit', { ...usedUp, overage: { inUse: false, status: 'allowed_warning' } }],
    ['a window is used up, and nothing is known of extra usage', used(1)],
  ] as const)('are not made where %s', async (_, limit) => {
    const { guard, admitted } = guardWith({ reserve: 0 })
    guard.note(limit)
    expect(await admitted()).toEqual([])
    const paid = guardWith({ reserve: 0, planOnly: false })
    paid.guard.note(limit)
    expect(await paid.admitted()).toEqual(['deep', 'answer', 'list'])
  })

  test('are named as such, with the end of the window', async () => {
    const { guard } = guardWith()
    guard.note({ ...used(0.5), window: 'five_hour', resetsAt: fiveHours, overage: { inUse: true } })
    const { message, retryAfterSeconds } = await failureOf(guard.admit(list, undefined))
    expect(message).toContain('paid as extra usage (--plan-only).')
    expect(retryAfterSeconds).toBe(7200)
  })

  test('are made again as soon as a reading shows room', async () => {
    const { guard, admitted } = guardWith({ usage: [used(1), used(0.1)] })
    guard.note({ ...usedUp, overage: { inUse: true } })
    await guard.refresh()
    expect(await admitted()).toEqual([])
    await guard.refresh()
    expect(await admitted()).toEqual(['deep', 'answer', 'list'])
  })
})

describe('readings', () => {
  test('without a window of five hours are those of the plan', async () => {
    const { guard } = guardWith({ usage: [used(0.3, 'seven_day', week)] })
    guard.note(used(0.95))
    await guard.refresh()
    expect(guard.rateLimit?.windows).toEqual([{ window: 'seven_day', utilization: 0.3, resetsAt: week }])
  })

  test('are made before each search that is close to the line, at most once a minute', async () => {
    const { guard, admitted, asked, pass } = guardWith({ usage: [used(0.87), used(0.91)] })
    await guard.refresh()
    expect(asked()).toBe(1)
    expect(await admitted({ list })).toEqual(['list'])
    expect(asked()).toBe(1)
    pass(61_000)
    expect(await admitted({ list })).toEqual([])
    expect(asked()).toBe(2)
  })

  test('that are under way are waited for by every search that is close to the line', async () => {
    const { guard, pass } = guardWith({ usage: [used(0.87), used(0.91)] })
    await guard.refresh()
    pass(61_000)
    const all = await Promise.all(Array.from({ length: 5 }, () => failureOf(guard.admit(list, undefined))))
    expect(all.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'rate-limited'))
  })

  test('of the minute before are fresh enough, even close to the line', async () => {
    const { guard, admitted, asked, pass } = guardWith({ usage: [used(0.87)] })
    await guard.refresh()
    pass(60_000)
    await admitted({ list })
    expect(asked()).toBe(1)
    pass(1)
    await admitted({ list })
    expect(asked()).toBe(2)
  })

  test.each([
    ['close to the line', used(0.87)],
    ['where none is known', undefined],
  ])('that take a moment are waited for %s', async (_, known) => {
    const reading = deferred<RateLimitHealth>()
    const { guard, pass } = guardWith({ ask: () => reading.promise })
    if (known) guard.note(known)
    else void guard.refresh()
    pass(61_000)
    const refused = failureOf(guard.admit(list, undefined))
    await Bun.sleep(0)
    reading.resolve(used(0.95))
    expect((await refused).code).toBe('rate-limited')
  })

  test('that a model call has just reported need no asking, nor does a reading of up to five minutes', async () => {
    const { guard, admitted, asked, pass } = guardWith({ usage: [used(0.1)] })
    guard.note(used(0.1))
    await admitted({ list })
    pass(300_000)
    await admitted({ list })
    expect(asked()).toBe(0)
    pass(1)
    await admitted({ list })
    expect(asked()).toBe(1)
    pass(250_000)
    guard.note(used(0.1))
    pass(250_000)
    await admitted({ list })
    expect(asked()).toBe(1)
  })

  test('that have not shown yet what a search costs let few of many at once through', async () => {
    const { guard, pass } = guardWith({ usage: [used(0.87), used(0.88)] })
    await guard.refresh()
    const made = async () => {
      const asked = Array.from({ length: 10 }, () => guard.admit(list, undefined))
      return (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled').length
    }
    expect(await made()).toBe(3)
    const { message, retryAfterSeconds } = await failureOf(guard.admit(list, undefined))
    expect(message).toMatch(/^About 90% of Claude's 5-hour limit is used; .* \(--plan-reserve\)\.$/)
    expect(retryAfterSeconds).toBe(60)
    pass(61_000)
    expect(await made()).toBe(6) // three have cost one point
  })

  test('that have not moved show that a search costs little', async () => {
    const { guard, admitted, pass } = guardWith({ usage: [used(0.87)] })
    await guard.refresh()
    const lists = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, list]))
    const made: number[] = []
    for (let minute = 0; minute < 4; minute++) {
      made.push((await admitted(lists)).length)
      pass(61_000)
    }
    expect(made).toEqual([3, 9, 10, 10])
  })

  test('are made every few minutes while searches run', async () => {
    const { guard, admitted, asked, pass } = guardWith({ usage: [used(0.1)] })
    await guard.refresh()
    for (let minute = 0; minute < 12; minute++) {
      pass(60_000)
      await admitted({ list })
    }
    expect(asked()).toBe(3)
  })

  test('come before a burst goes on', async () => {
    const { guard, asked, pass } = guardWith({ usage: [used(0.1)] })
    await guard.refresh()
    pass(90_000)
    for (let search = 0; search < 4; search++) await guard.admit(list, undefined)
    expect(asked()).toBe(1)
    await guard.admit(list, undefined)
    expect(asked()).toBe(2)
  })

  test('are not asked for by a command that makes one search', async () => {
    const { admitted, asked } = guardWith()
    expect(await admitted({ list })).toEqual(['list'])
    expect(asked()).toBe(0)
  })

  test('that fail are asked for again after a minute, then after twice as long each time', async () => {
    let asked = 0
    const { guard, pass } = guardWith({
      ask: async () => {
        asked++
        throw new Error('too often')
      },
    })
    const asking: number[] = []
    for (let minute = 0; minute < 16; minute++) {
      const before = asked
      await guard.refresh()
      if (asked > before) asking.push(minute)
      pass(60_000)
    }
    expect(asking).toEqual([0, 1, 3, 7, 15])
  })

  test('that cannot be had are not asked for each time', async () => {
    for (const ask of [async () => undefined, () => Promise.reject(new Error('busy'))]) {
      let asked = 0
      const { guard, admitted } = guardWith({
        ask: () => {
          asked++
          return ask()
        },
      })
      guard.note(used(0.87))
      for (let search = 0; search < 5; search++) {
        await guard.refresh()
        expect(await admitted({ list })).toEqual(['list'])
      }
      expect(asked).toBe(1)
    }
  })

  test('show what a search costs, and no burst runs over the line between two of them', async () => {
    const { guard, pass } = guardWith()
    guard.note(used(0.5))
    for (let search = 0; search < 10; search++) (await guard.admit(list, undefined))()
    guard.note(used(0.6)) // a point each
    let made = 0
    for (; made < 100; made++) {
      pass(1)
      if (
        await guard.admit(list, undefined).then(
          () => false,
          () => true,
        )
      )
        break
    }
    expect(made).toBe(30)
    // No reading comes: the end of the window is what is known.
    expect((await failureOf(guard.admit(list, undefined))).retryAfterSeconds).toBe(7200)
  })
})

test('the log says once what stops, and once that it goes on', async () => {
  const { guard, said } = guardWith()
  for (const share of [0.5, 0.81, 0.82, 0.95, 0.96, 0.2, 0.3]) guard.note(used(share))
  expect(said).toEqual([
    expect.stringMatching(/^warning: Claude makes no deep searches until 12:00 UTC \(in 2 h\)\. 81% of/),
    expect.stringMatching(
      /^warning: Claude makes no deep searches, written answers, lists until 12:00 UTC \(in 2 h\)\. 95% of/,
    ),
    'info: Claude searches again: the plan has room.',
  ])
})

test('the health says when the plan was last read, if it was', async () => {
  const { guard } = guardWith({ usage: [used(0.5)] })
  expect(guard.health).toEqual({ reserve: 0.1, planOnly: true, paused: undefined, readAt: undefined })
  await guard.refresh()
  expect(guard.health.readAt).toBe('2026-11-22T10:00:00.000Z')
})
