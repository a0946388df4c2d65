import { describe, expect, test } from 'bun:test'
import { type AnswersBy, NativeSearch, nativeSettings } from '../../../../src/executor/backends/claude/native.ts'
import type { KnownModels, KnownOf, NativeMemory } from '../../../../src/executor/backends/claude/native-memory.ts'
import { type Fields, requestFor } from '../../../support/fake-executor.ts'

const hourMs = 3_600_000

/** What is known of models, at a time that passes. */
function knowing(by: AnswersBy) {
  let now = Date.parse('2026-11-28T12:00:00Z')
  const native = new NativeSearch(by, () => new Date(now))
  const serves = (fields: Fields = {}, model = 'sonnet') =>
    native.serves(requestFor('q', { want: 'answer', effort: 'standard', ...fields }), model)
  const pass = (hours: number) => {
    now += hours * hourMs
  }
  return { native, serves, pass }
}

const weighs = (resultTokens: number) => ({ searches: 1, resultTokens })
const history = [{ role: 'user', text: 'Hi' }] as const
const others: readonly Fields[] = [{ effort: 'fast' }, { effort: 'deep' }, { history }]

describe('what a search weighs is found out by one standard answer', () => {
  const asked = (query: string) => requestFor(query, { want: 'answer', effort: 'standard' })

  test('at a time, and by no other answer meanwhile', () => {
    const { native } = knowing('auto')
    const serves = (query: string) => native.serves(asked(query), 'sonnet')
    for (const query of ['one', 'two']) native.mayTry(asked(query), 'sonnet')
    expect([serves('one'), serves('two')]).toEqual([true, false])
    native.begins(asked('one'), 'sonnet')
    native.ended(asked('one'), 'sonnet')
    native.mayTry(asked('two'), 'sonnet')
    expect([serves('one'), serves('two')]).toEqual([false, false])
  })

  test('a day, while nothing is known', () => {
    const { native, pass } = knowing('auto')
    const tries = () => {
      native.mayTry(asked('q'), 'sonnet')
      const serves = native.serves(asked('q'), 'sonnet')
      if (serves) native.begins(asked('q'), 'sonnet')
      native.ended(asked('q'), 'sonnet')
      return serves
    }
    expect([tries(), tries()]).toEqual([true, false])
    pass(23)
    expect(tries()).toBe(false)
    pass(1)
    expect([tries(), tries()]).toEqual([true, false])
    pass(24)
    native.note('sonnet', weighs(12_000))
    expect(tries()).toBe(false)
  })

  test('whatever other answers are made in one call', () => {
    const { native } = knowing('auto')
    const fast = requestFor('fast', { want: 'answer', effort: 'fast', history })
    native.mayTry(fast, 'sonnet')
    native.begins(fast, 'sonnet')
    native.ended(fast, 'sonnet')
    native.mayTry(fast, 'sonnet')
    native.mayTry(asked('one'), 'sonnet')
    native.begins(fast, 'sonnet')
    native.ended(fast, 'sonnet')
    native.mayTry(asked('one'), 'sonnet')
    expect(native.serves(asked('one'), 'sonnet')).toBe(true)
  })

  test('another one, where that did not begin in time', () => {
    const { native, pass } = knowing('auto')
    native.mayTry(asked('one'), 'sonnet')
    pass(1)
    native.mayTry(asked('two'), 'sonnet')
    expect([native.serves(asked('one'), 'sonnet'), native.serves(asked('two'), 'sonnet')]).toEqual([false, true])
  })
})

describe('what is known is kept', () => {
  const cli = { version: '2.1.328', authMethod: 'claude.ai', subscription: 'max' }
  function keeping() {
    const kept = new Map<string, KnownModels>()
    const keyOf = ({ version, subscription }: KnownOf) => `${version} ${subscription}`
    return {
      recall: (of: KnownOf) => kept.get(keyOf(of)) ?? {},
      async remember(of: KnownOf, models: KnownModels) {
        kept.set(keyOf(of), models)
      },
    }
  }
  const standard = requestFor('q', { want: 'answer', effort: 'standard' })
  const started = (memory: NativeMemory, of: KnownOf = cli) => {
    const native = new NativeSearch('auto', () => new Date('2026-11-28T12:00:00Z'), memory)
    native.belongsTo(of)
    return native
  }

  test('for the next start: weights, refusals, and that it works', async () => {
    const memory = keeping()
    const first = started(memory)
    first.note('sonnet', weighs(7000))
    first.noteRefusal('opus')
    await first.close()
    const next = started(memory)
    expect(next.serves(standard, 'sonnet')).toBe(true)
    expect(next.serves({ ...standard, effort: 'fast' }, 'opus')).toBe(false)
    expect(next.state).toBe(first.state)
  })

  test('not for another version of the CLI, nor another login, nor after signing in again', async () => {
    const memory = keeping()
    const first = started(memory)
    first.note('sonnet', weighs(7000))
    await first.close()
    for (const other of [
      { ...cli, version: '2.1.329' },
      { ...cli, subscription: 'pro' },
    ])
      expect(started(memory, other).serves(standard, 'sonnet')).toBe(false)
    first.belongsTo({ ...cli, subscription: 'pro' })
    expect(first.serves(standard, 'sonnet')).toBe(false)
    first.belongsTo(cli)
    expect(first.serves(standard, 'sonnet')).toBe(true)
    first.forget()
    await first.close()
    expect(started(memory).serves(standard, 'sonnet')).toBe(false)
  })
})

describe('one call makes', () => {
  test.each<[AnswersBy, boolean, boolean]>([
    ['auto', false, true],
    ['search', true, true],
    ['pages', false, false],
  ])('with %s, of a model that nothing is known of, standard answers: %p, others: %p', (by, standard, rest) => {
    const { serves, native } = knowing(by)
    expect(serves()).toBe(standard)
    for (const fields of others) expect(serves(fields)).toBe(rest)
    expect(native.isOn).toBe(by !== 'pages')
    for (const fields of [{ want: 'results' }, { want: 'text' }, { sources: [] }] as const)
      expect(serves(fields)).toBe(false)
  })

  test.each<[string, readonly number[], boolean]>([
    ['a light search', [7000], true],
    ['a search at the limit', [7700], true],
    ['a heavy search', [7701], false],
    ['a heavy one among light ones', [5000, 12_000, 6000], true],
    ['a light one among heavy ones', [12_000, 5000, 9000], false],
  ])('standard answers by the median of what searches weigh: %s', (_, weights, expected) => {
    const { native, serves } = knowing('auto')
    for (const weight of weights) native.note('sonnet', weighs(weight))
    expect(serves()).toBe(expected)
    expect(serves({}, 'opus')).toBe(false)
  })

  test('standard answers by the last twenty searches', () => {
    const { native, serves } = knowing('auto')
    for (let times = 0; times < 20; times++) native.note('sonnet', weighs(12_000))
    for (let times = 0; times < 10; times++) native.note('sonnet', weighs(5000))
    expect(serves()).toBe(false)
    native.note('sonnet', weighs(5000))
    expect(serves()).toBe(true)
  })

  test('nothing for six hours where the API refuses the tool', () => {
    const { native, serves, pass } = knowing('search')
    native.noteRefusal('sonnet')
    expect([serves(), serves({}, 'opus')]).toEqual([false, true])
    expect(native.state).toContain('sonnet: not until 2026-11-28T18:00Z, since the API refuses the search tool')
    pass(6)
    expect(serves()).toBe(true)
  })

  test('nothing for an hour of a model that has not searched twice in a row, unless it has searched before', () => {
    const { native, serves, pass } = knowing('search')
    native.note('sonnet', { searches: 0 })
    expect(serves()).toBe(true)
    native.note('sonnet', { searches: 0 })
    expect(serves()).toBe(false)
    pass(1)
    expect(serves()).toBe(true)
    native.note('sonnet', { searches: 1 })
    for (let times = 0; times < 3; times++) native.note('sonnet', { searches: 0 })
    expect(serves()).toBe(true)
    expect(native.state).toBe('one call (--answers search); sonnet: works, 5 answers without a search')
  })
})

test('a model is asked for links only if it has never cited', () => {
  const { native } = knowing('search')
  expect(native.cites('sonnet')).toBe(true)
  native.note('sonnet', { searches: 1, cites: undefined })
  expect(native.cites('sonnet')).toBe(true)
  native.note('sonnet', { searches: 1, cites: false })
  expect(native.cites('sonnet')).toBe(false)
  native.note('sonnet', { searches: 1, cites: true })
  native.note('sonnet', { searches: 1, cites: false })
  expect(native.cites('sonnet')).toBe(true)
})

test('health says why standard answers are made over pages', () => {
  const { native } = knowing('auto')
  native.note('sonnet', weighs(9000))
  expect(native.state).toBe(
    'one call, for standard answers where a search is light; sonnet: works, a search weighs 9000 tokens, too many',
  )
})

test.each([
  [{}, 1],
  [{ effort: 'deep' }, 5],
  [{ maxSearches: 3 }, 3],
  [{ maxSearches: 1000 }, 20],
] as const)('an answer of %j may search %d times', (fields, searches) => {
  const { body } = nativeSettings(requestFor('q', { want: 'answer', effort: 'standard', ...fields }), undefined)
  expect(JSON.parse(body ?? '').tools[0].max_uses).toBe(searches)
})

test('a site that is named twice is told to the API once', () => {
  const includeDomains = ['a.example', 'a.example', 'b.example']
  const { body } = nativeSettings(
    requestFor('q', { want: 'answer', effort: 'fast', filters: { includeDomains } }),
    undefined,
  )
  expect(JSON.parse(body ?? '').tools[0].allowed_domains).toEqual(['a.example', 'b.example'])
})
