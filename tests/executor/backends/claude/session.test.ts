import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import { collect } from '../../../../src/domain/answer.ts'
import type { Answer, SearchEvent } from '../../../../src/domain/search.ts'
import { type ClaudeFixture, startClaude, strategies } from '../../../support/claude-executor.ts'
import { failureOf } from '../../../support/failure-of.ts'
import { requestFor } from '../../../support/fake-executor.ts'
import { killListed, runningClaudes } from '../../../support/processes.ts'

/** Whether the model hears of the search before, and each search is served by the same processes. */
async function expectMemory(claude: ClaudeFixture, remembered: boolean): Promise<void> {
  for (const strategy of ['standard', 'deep'] as const) {
    await claude.search('wombats', strategies[strategy])
    const before = runningClaudes()
    claude.sandbox.reset()
    await claude.search('herring', strategies[strategy])
    const last = JSON.stringify(claude.sandbox.requests().at(-1)?.body.messages)
    expect(last).toContain('herring')
    expect(last.includes('wombats')).toBe(remembered)
    expect(runningClaudes()).toEqual(before)
  }
}

describe('a session that is kept', () => {
  let claude: ClaudeFixture
  beforeAll(async () => {
    claude = await startClaude({ sessionContext: 'keep' })
  })
  beforeEach(() => claude.sandbox.reset())
  afterAll(() => claude[Symbol.asyncDispose]())

  test('that had tools is not, so that the next caller has its own', async () => {
    claude.sandbox.configure({ scenario: 'use-tool' })
    const [weather, clock] = ['get_weather', 'get-time'].map((name) => ({ name, parameters: { type: 'object' } }))
    const called: string[] = []
    for (const given of [weather, clock, undefined, weather]) {
      const request = { ...strategies.text, tools: given && [given] }
      const { toolCalls } = await claude.search('Bergen?', request)
      called.push(toolCalls[0]?.name ?? 'none')
    }
    expect(called).toEqual(['get_weather', 'get-time', 'none', 'get_weather'])
    const offers = claude.sandbox
      .requests()
      .map(({ body }) => body.tools?.flatMap(({ name }) => name?.split('__')[2] ?? []))
    expect(offers).toEqual([['get_weather'], ['get-time'], [], ['get_weather']])
    // Only the one without tools goes on.
    const asked = claude.sandbox.requests().map(({ body }) => JSON.stringify(body.messages).split('Bergen?').length - 1)
    expect(asked.slice(0, 3)).toEqual([1, 1, 1])
    expect((await claude.executor.health()).backends[0]?.engines?.['agent']).toBe('1 worker, 1 idle')
  })

  test('tells the model of the search before', () => expectMemory(claude, true))

  test('is used again for its own caller only', async () => {
    const search = async (query: string, caller: string): Promise<string> => {
      claude.sandbox.reset()
      const request = requestFor(query, strategies.standard)
      await collect(claude.executor.search(request, { signal: new AbortController().signal, caller }))
      return JSON.stringify(claude.sandbox.requests().at(-1)?.body.messages)
    }
    await search('wombats', 'alice')
    expect(await search('herring', 'bob')).not.toContain('wombats')
    const own = await search('seals', 'bob')
    expect(own).toContain('herring')
    expect(own).not.toContain('wombats')
  })

  test('takes a prompt at once, and an abort right after it ends the turn without the loss of its worker', async () => {
    await claude.search('seals', strategies.text)
    const before = runningClaudes()
    for (const turns of [1, 2, 4, 8, 16]) {
      claude.sandbox.configure({ scenario: 'hang' })
      const controller = new AbortController()
      const outcome = outcomeOf(claude.search('wombats', strategies.text, controller.signal))
      // A turn of the event loop later the prompt is on its way, and nothing has come back.
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      expect(await outcome).toStartWith('cancelled')
      await claude.sandbox.until(({ open }) => open === 0)
      claude.sandbox.configure({ scenario: 'ok' })
      await claude.search('seals', strategies.text)
    }
    expect(runningClaudes()).toEqual(before)
  })
})

describe('a session that is cleared', () => {
  let claude: ClaudeFixture
  beforeAll(async () => {
    claude = await startClaude({ idleMs: Number.POSITIVE_INFINITY })
  })
  beforeEach(() => claude.sandbox.reset())
  afterAll(() => claude[Symbol.asyncDispose]())

  test('does not tell the model of the search before', () => expectMemory(claude, false))

  test('has a worker that is kept warm and is there for the next search, however long it was idle', async () => {
    await claude.search('seals', strategies.standard)
    const before = runningClaudes()
    expect([before.direct.length, before.writer.length]).toEqual([1, 1])
    await Bun.sleep(300)
    expect(runningClaudes()).toEqual(before)
    await claude.search('terns', strategies.standard)
    expect(runningClaudes()).toEqual(before)
  })

  describe.each(['standard', 'deep', 'text'] as const)('a streamed answer with the strategy %s', (strategy) => {
    const leave = {
      abort: async (events: AsyncGenerator<SearchEvent>, controller: AbortController) => {
        controller.abort()
        const { code } = await failureOf(events.next())
        expect(code).toBe('cancelled')
      },
      'early return': async (events: AsyncGenerator<SearchEvent>) => {
        await events.return(undefined)
      },
    }

    test.each(Object.entries(leave))('is stopped on %s, and the same worker serves the next', async (_, giveUp) => {
      claude.sandbox.configure({ scenario: [{ scenario: 'slow', kind: 'write' }], deltaPauseMs: 400 })
      const controller = new AbortController()
      const { signal } = controller
      const search = claude.executor.search(requestFor('wombats', strategies[strategy]), { signal })
      const events = (async function* () {
        yield* search
      })()
      while ((await events.next()).value?.type !== 'text-delta');
      const kind = strategy === 'deep' ? 'searcher' : 'writer'
      const before = runningClaudes()[kind]
      await giveUp(events, controller)
      await claude.sandbox.until(({ open }) => open === 0)
      claude.sandbox.reset()
      claude.sandbox.configure({ scenario: 'ok' })
      const answer = await collect(
        claude.executor.search(requestFor('herring', strategies[strategy]), { signal: live() }),
      )
      expect(answer.text).toContain('Sandbox answer')
      expect(JSON.stringify(claude.sandbox.requests().map(({ body }) => body))).not.toContain('wombats')
      expect(runningClaudes()[kind]).toEqual(before)
    })
  })

  test('works on after aborts at any moment', async () => {
    claude.sandbox.configure({ thinkMs: 20 })
    const outcomes = new Set<string>()
    for (let delay = 0; delay < 160; delay += 8) {
      const strategy = delay % 16 === 0 ? strategies.standard : strategies.deep
      outcomes.add(await outcomeOf(claude.search('wombats', strategy, AbortSignal.timeout(delay))))
    }
    expect([...outcomes].filter((outcome) => outcome !== 'stop' && outcome !== 'timeout')).toEqual([])
    expect(outcomes).toContain('timeout')
    const answers = await Promise.all([
      claude.search('herring', strategies.standard),
      claude.search('herring', strategies.deep),
    ])
    expect(answers.map(({ text }) => text.includes('herring'))).toEqual([true, true])
    expect(JSON.stringify(answers)).not.toContain('wombats')
    claude.sandbox.configure({ thinkMs: 0 })
  })

  test('has a worker for each answer at a time, cold or warm', async () => {
    for (const pid of runningClaudes().writer) killListed(pid)
    await eventually(() => runningClaudes().writer.length === 0)
    const names = ['herring', 'wombats', 'terns']
    for (const temperature of ['cold', 'warm']) {
      const answers = await Promise.all(
        names.map((name) => claude.search(`${name} ${temperature}`, strategies.standard)),
      )
      const mentioned = answers.map((answer) => names.filter((name) => JSON.stringify(answer).includes(name)))
      expect(mentioned).toEqual(names.map((name) => [name]))
      expect(runningClaudes().writer).toHaveLength(3)
    }
  })
})

describe('a worker', () => {
  test('is replaced after so many searches, and the next request finds a warm one', async () => {
    await using claude = await startClaude({ maxSessionSearches: 2 })
    const serving: number[] = []
    for (let search = 1; search <= 5; search++) {
      await claude.search('seals', strategies.standard)
      await eventually(() => runningClaudes().writer.length === 1)
      serving.push(...runningClaudes().writer)
    }
    const [first, second, third, fourth, fifth] = serving
    // After the second and the fourth search a new one stands by.
    expect(second).not.toBe(first)
    expect(third).toBe(second)
    expect(fourth).not.toBe(third)
    expect(fifth).toBe(fourth)
  })

  test('that serves no search is not replaced again and again', async () => {
    await using claude = await startClaude({ maxSessionSearches: 1, sandbox: { scenario: 'search-unavailable' } })
    for (let search = 1; search <= 5; search++) await failureOf(claude.search('seals', strategies.standard))
    expect(runningClaudes().writer.length).toBeLessThanOrEqual(2)
  })
})

describe('a worker that may be idle for a moment only', () => {
  let claude: ClaudeFixture
  beforeAll(async () => {
    claude = await startClaude({ idleMs: 100 })
  })
  beforeEach(() => claude.sandbox.reset())
  afterAll(() => claude[Symbol.asyncDispose]())

  test('is not ended while it works', async () => {
    await Promise.all([strategies.standard, strategies.deep].map((strategy) => claude.search('seals', strategy)))
    claude.sandbox.configure({ thinkMs: 200 })
    const answers = await Promise.all(
      [strategies.standard, strategies.deep, strategies.fast].map((strategy) => claude.search('seals', strategy)),
    )
    expect(answers.filter(({ citations }) => citations.length === 0)).toEqual([])
  })

  test('is ended after that, and so is the search server; the next search works', async () => {
    for (const strategy of ['standard', 'deep'] as const) {
      await claude.search('seals', strategies[strategy])
      const engines = async () => (await claude.executor.health()).backends[0]?.engines
      await eventually(async () => Bun.deepEquals(await engines(), { direct: 'stopped', agent: 'no worker yet' }))
      await eventually(() => Bun.deepEquals(runningClaudes(), { direct: [], writer: [], searcher: [] }))
    }
    expect((await claude.search('seals', strategies.results)).searches[0]?.results).toHaveLength(8)
  })
})

function outcomeOf(search: Promise<Answer>): Promise<string> {
  return search.then(
    ({ reason }) => reason,
    ({ code, message }) => (code === 'timeout' ? code : `${code}: ${message}`),
  )
}

const live = () => new AbortController().signal
