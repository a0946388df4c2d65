import { describe, expect, test } from 'bun:test'
import { SearchError, type SearchErrorCode } from '../../../../src/domain/error.ts'
import type { SearchRequest } from '../../../../src/domain/search.ts'
import { Breaker, type BreakerOptions } from '../../../../src/executor/layers/resilience/breaker.ts'
import { requestFor } from '../../../support/fake-executor.ts'

const request = requestFor('q')

describe('failures in a row', () => {
  test.each(['unavailable', 'timeout', 'failed', 'signed-out'] as const)(
    'open the breaker after five of %s',
    (code) => {
      const { breaker, fail, refusal } = setUp()
      for (let count = 1; count <= 4; count++) fail(code)
      expect(breaker.health).toEqual({ state: 'closed', retryAt: undefined, failures: 4 })
      fail(code)
      expect(breaker.health).toMatchObject({ state: 'open', failures: 5 })
      expect(refusal().message).toContain('backend has failed 5 times in a row')
      expect(refusal().message).toContain('It broke.')
    },
  )

  test.each(['cancelled', 'invalid-request', 'busy', 'ungrounded'] as const)(
    'do not include a search that ended with %s',
    (code) => {
      const { breaker, fail } = setUp()
      for (let count = 0; count < 9; count++) fail(code)
      expect(breaker.health).toEqual({ state: 'closed', retryAt: undefined, failures: 0 })
    },
  )

  test('of lists and of texts are counted apart: who lists well may be unable to write', () => {
    const { breaker, search } = setUp()
    const text = requestFor('q', { want: 'answer', sources: [] })
    for (let count = 0; count < 5; count++) {
      search('answered', request)
      search(new SearchError('failed', 'It broke.'), text)
    }
    expect(() => breaker.enter(text)).toThrow('failed 5 times in a row')
    expect(breaker.health).toMatchObject({ state: 'open', failures: 5 })
    breaker.enter(request)()
  })

  test('do not include a search whose failure its caller’s schema or tools may have caused', () => {
    const { breaker, search } = setUp()
    const tools = [{ name: 'weather', parameters: {} }]
    for (const own of [{ schema: {} }, { tools }]) {
      for (let count = 0; count < 5; count++) search(new SearchError('failed', 'No fit.'), requestFor('q', own))
    }
    expect(breaker.health.failures).toBe(0)
    search(new SearchError('unavailable', 'Down.'), requestFor('q', { schema: {} }))
    expect(breaker.health.failures).toBe(1)
  })

  test('end with an answer, and not with a search that shows nothing of the backend', () => {
    const { breaker, fail, search } = setUp()
    for (let count = 0; count < 4; count++) fail('timeout')
    search()
    expect(breaker.health.failures).toBe(4)
    search('answered')
    expect(breaker.health.failures).toBe(0)
  })

  test('give the caller the cause where that helps, otherwise "unavailable", and a time to come back', () => {
    const codes = (['unavailable', 'timeout', 'failed', 'signed-out'] as const).map((code) => {
      const { fail, refusal } = setUp()
      for (let count = 0; count < 5; count++) fail(code)
      return [refusal().code, refusal().retryAfterSeconds]
    })
    expect(codes).toEqual([
      ['unavailable', 10],
      ['unavailable', 10],
      ['unavailable', 10],
      ['signed-out', 5],
    ])
  })

  test('include a limit without an end', () => {
    const { fail, refusal } = setUp()
    for (let count = 0; count < 5; count++) fail('rate-limited')
    expect(refusal()).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 10 })
  })
})

describe('the cool-down of the breaker', () => {
  test('ends with one search as a probe, and the others are refused meanwhile', () => {
    const { breaker, clock, open, refusal, search } = setUp()
    open()
    clock.seconds += 9.9
    expect(refusal().retryAfterSeconds).toBe(1)
    clock.seconds += 0.1
    expect(breaker.health).toMatchObject({ state: 'half-open', retryAt: undefined })
    const leave = breaker.enter(request)
    expect(refusal()).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 })
    breaker.begin(request)('answered')
    leave()
    expect(breaker.health).toEqual({ state: 'closed', retryAt: undefined, failures: 0 })
    search('answered')
  })

  test('doubles when the probe fails, up to five minutes, and is short again after an answer', () => {
    const { breaker, clock, open, fail, search } = setUp()
    open()
    const lengths = [...wait()]
    expect(lengths).toEqual([10, 20, 40, 80, 160, 300, 300])
    clock.seconds += 300
    search('answered')
    open()
    expect([...wait(1)]).toEqual([10])

    function* wait(times = 7) {
      for (let count = 0; count < times; count++) {
        const { retryAt = '' } = breaker.health
        const seconds = (Date.parse(retryAt) - clock.wall) / 1000 - clock.seconds
        yield Math.round(seconds)
        clock.seconds += seconds
        fail('unavailable')
      }
    }
  })

  test('stays short while the backend is signed out', () => {
    const { breaker, clock, fail } = setUp()
    for (let count = 0; count < 5; count++) fail('signed-out')
    for (let count = 0; count < 5; count++) {
      clock.seconds += 5
      expect(breaker.health.state).toBe('half-open')
      fail('signed-out')
      expect(breaker.health.state).toBe('open')
    }
  })

  test('ends at once where somebody has signed in', () => {
    const { breaker, fail } = setUp()
    for (let count = 0; count < 5; count++) fail('signed-out')
    breaker.forgive()
    expect(breaker.health).toEqual({ state: 'closed', retryAt: undefined, failures: 0 })
    expect(breaker.lastFailure).toBeUndefined()
    expect(() => breaker.enter(request)()).not.toThrow()
  })

  test('after a missing sign-in does not prolong the next one', () => {
    const { clock, fail, refusal } = setUp()
    for (let count = 0; count < 5; count++) fail('signed-out')
    clock.seconds += 5
    fail('unavailable')
    expect(refusal().retryAfterSeconds).toBe(10)
  })

  test('lets another search be the probe when the first one leaves', () => {
    const { breaker, clock, open, search } = setUp()
    open()
    clock.seconds += 10
    breaker.enter(request)()
    search()
    expect(breaker.health.state).toBe('half-open')
    search('answered')
    expect(breaker.health.state).toBe('closed')
  })

  test('does not change with searches that began before the breaker opened', () => {
    const { breaker, open } = setUp()
    const stragglers = [breaker.begin(request), breaker.begin(request)] as const
    open()
    stragglers[0]('answered')
    stragglers[1](new SearchError('timeout', 'Late.'))
    expect(breaker.health).toMatchObject({ state: 'open', failures: 5 })
  })

  test('does not depend on the wall clock', () => {
    const { breaker, clock, open } = setUp()
    open()
    for (const jump of [86_400_000, -2 * 86_400_000]) {
      clock.wall += jump
      expect(breaker.health.state).toBe('open')
    }
  })
})

describe('a usage limit in the breaker', () => {
  const limit = (retryAfterSeconds: number) => new SearchError('rate-limited', 'Spent.', { retryAfterSeconds })

  test('refuses searches until its end, and the wait counts down', () => {
    const { breaker, clock, search, refusal } = setUp()
    search(limit(3600))
    expect(refusal()).toMatchObject({ code: 'rate-limited', message: 'Spent.', retryAfterSeconds: 3600 })
    clock.seconds += 1000.5
    expect(refusal().retryAfterSeconds).toBe(2600)
    expect(breaker.health).toMatchObject({ state: 'open', failures: 0 })
    expect(breaker.health.retryAt).toBe(new Date(clock.wall + 3_600_000).toISOString())
    clock.seconds += 2599.5
    expect(breaker.health.state).toBe('closed')
    search('answered')
  })

  test('can be prolonged, and not shortened, by a search that began earlier', () => {
    const { breaker, search, refusal } = setUp()
    const stragglers = [breaker.begin(request), breaker.begin(request)] as const
    search(limit(60))
    stragglers[0](limit(3600))
    stragglers[1](limit(60))
    expect(refusal().retryAfterSeconds).toBe(3600)
  })

  test('is over when the wall clock or the monotonic clock says so', () => {
    for (const jump of ['slept', 'set back'] as const) {
      const { breaker, clock, search } = setUp()
      search(limit(3600))
      if (jump === 'slept') {
        clock.wall += 3_600_000
      } else {
        clock.wall -= 86_400_000
        clock.seconds += 3600
      }
      expect([jump, breaker.health.state]).toEqual([jump, 'closed'])
    }
  })

  test('of one model does not affect other models', () => {
    const { breaker, search, refusal } = setUp({ modelsOf: ({ model = '' }) => [model] })
    search(limit(60), { ...request, model: 'opus' })
    expect(refusal({ ...request, model: 'opus' }).retryAfterSeconds).toBe(60)
    search('answered')
    expect(breaker.health.state).toBe('closed')
  })

  test('of one model applies beside that of another', () => {
    const { search, refusal } = setUp({ modelsOf: ({ model = '' }) => [model] })
    search(limit(60), { ...request, model: 'opus' })
    search(limit(90), { ...request, model: 'sonnet' })
    expect(refusal({ ...request, model: 'opus' }).retryAfterSeconds).toBe(60)
    expect(refusal({ ...request, model: 'sonnet' }).retryAfterSeconds).toBe(90)
  })

  describe('of a request that several models serve', () => {
    const [list, answer, text] = [request, requestFor('q', { want: 'answer' }), requestFor('q', { want: 'text' })]
    const models = { results: ['haiku'], answer: ['haiku', 'sonnet'], text: ['sonnet'] }
    const setUpModels = () => setUp({ modelsOf: ({ want }) => models[want], ordinary: [list, answer] })

    test('holds for whatever needs them all, and says nothing about each', () => {
      const { breaker, search, refusal } = setUpModels()
      search(limit(60), answer)
      expect(refusal(answer).retryAfterSeconds).toBe(60)
      for (const asked of [list, text]) search('answered', asked)
      expect(breaker.health.state).toBe('open')
    })

    test('is not tried where one of the models is known to have reached its own', () => {
      const { breaker, search, refusal } = setUpModels()
      search(limit(60), list)
      expect([list, answer].map((asked) => refusal(asked).retryAfterSeconds)).toEqual([60, 60])
      search('answered', text)
      expect([breaker.health.state, breaker.problem]).toEqual(['open', refusal(list).message])
    })

    test('holds for every request where it says so, and for models that were never asked for', () => {
      const { breaker, search, refusal } = setUpModels()
      search(new SearchError('rate-limited', 'Spent.', { retryAfterSeconds: 60, isForAll: true }), text)
      expect([list, answer, text].map((asked) => refusal(asked).retryAfterSeconds)).toEqual([60, 60, 60])
      expect([breaker.health.state, breaker.problem]).toEqual(['open', 'Spent.'])
    })

    test('leaves lists alone where it is that of the writer, and the backend is not ready', () => {
      const { breaker, search, refusal } = setUpModels()
      search(limit(60), text)
      expect(refusal(answer).retryAfterSeconds).toBe(60)
      search('answered', list)
      expect(breaker.health.state).toBe('open')
    })
  })

  test('that a probe meets replaces the cool-down', () => {
    const { breaker, clock, open, search } = setUp()
    open()
    clock.seconds += 10
    search(limit(60))
    expect(breaker.health).toMatchObject({ state: 'open', failures: 0 })
    clock.seconds += 60
    expect(breaker.health.state).toBe('closed')
  })
})

describe('searches that wait when the breaker opens', () => {
  test('are refused, each with an error of its own', () => {
    const { breaker, open } = setUp()
    const heard: unknown[] = []
    breaker.onOpen((refuse) => heard.push(refuse(request)?.code))
    open()
    expect(heard).toEqual(['unavailable'])
  })

  test('are refused because of a limit only where it applies to them', () => {
    const { breaker, search } = setUp({ modelsOf: ({ model = '' }) => [model] })
    const heard: unknown[] = []
    breaker.onOpen((refuse) => heard.push(refuse({ ...request, model: 'opus' })?.code, refuse(request)?.code))
    search(new SearchError('rate-limited', 'Spent.', { retryAfterSeconds: 9 }), { ...request, model: 'opus' })
    expect(heard).toEqual(['rate-limited', undefined])
  })
})

function setUp(options: Pick<BreakerOptions, 'modelsOf' | 'ordinary'> = {}) {
  const clock = { seconds: 0, wall: Date.parse('2026-11-20T12:00:00Z') }
  const breaker = new Breaker({
    name: 'backend',
    ...options,
    now: () => clock.seconds * 1000,
    wallNow: () => clock.wall + clock.seconds * 1000,
  })
  const search = (outcome?: 'answered' | SearchError, asked: SearchRequest = request): void => {
    const leave = breaker.enter(asked)
    const end = breaker.begin(asked)
    if (outcome) end(outcome)
    leave()
  }
  const fail = (code: SearchErrorCode) => search(new SearchError(code, 'It broke.'))
  const open = () => {
    for (let count = 0; count < 5; count++) fail('unavailable')
  }
  const refusal = (asked: SearchRequest = request): SearchError => {
    try {
      breaker.enter(asked)
    } catch (error) {
      if (error instanceof SearchError) return error
    }
    throw new Error('It let the search in.')
  }
  return { breaker, clock, search, fail, open, refusal }
}

test('the log says for what a breaker opens, tries and closes', () => {
  const clock = { ms: 0 }
  const lines: string[] = []
  const breaker = new Breaker({
    name: 'b',
    now: () => clock.ms,
    wallNow: () => clock.ms,
    log: (line) => lines.push(line),
  })
  for (const want of ['results', 'text'] as const) {
    const wanted = requestFor('q', { want })
    for (let count = 0; count < 5; count++) breaker.begin(wanted)(new SearchError('failed', 'It broke.'))
    const opened = lines.splice(0)
    clock.ms += 3_600_000
    breaker.enter(wanted)
    breaker.begin(wanted)('answered')
    const kind = want === 'results' ? 'lists' : 'texts'
    expect(opened).toEqual([expect.stringContaining(`open for ${kind} for`)])
    expect(lines.splice(0)).toEqual([
      `Breaker of b: half-open for ${kind}, one search tries the backend`,
      `Breaker of b: closed again for ${kind}, the backend answers`,
    ])
  }
})

test('the reason is that of the circuit, or of the limit, that lasts longest', () => {
  for (const kinds of [
    ['results', 'text'],
    ['text', 'results'],
  ] as const) {
    const clock = { ms: 0 }
    const breaker = new Breaker({ name: 'b', now: () => clock.ms, wallNow: () => clock.ms })
    for (const want of kinds) {
      for (let count = 0; count < 5; count++)
        breaker.begin(requestFor('q', { want }))(new SearchError('failed', `No ${want}.`))
      clock.ms += 1000
    }
    expect(breaker.problem).toBe(`No ${kinds[1]}.`)
  }
  for (const models of [
    ['opus', 'haiku'],
    ['haiku', 'opus'],
  ]) {
    const ordinary = models.map((model) => requestFor('q', { model }))
    const breaker = new Breaker({ name: 'b', modelsOf: ({ model = '' }) => [model], ordinary })
    for (const [model, retryAfterSeconds] of [
      ['opus', 60],
      ['haiku', 600],
    ] as const)
      breaker.begin(requestFor('q', { model }))(new SearchError('rate-limited', `No ${model}.`, { retryAfterSeconds }))
    expect(breaker.problem).toBe('No haiku.')
  }
})
