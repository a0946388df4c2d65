import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Scenario } from '@csp/sandbox/scenario'
import { eventually } from '@csp/testing/eventually'
import { collect } from '../../src/domain/answer.ts'
import type { SearchErrorCode } from '../../src/domain/error.ts'
import type { SearchEvent, SearchRequest } from '../../src/domain/search.ts'
import type { Executor, SearchContext } from '../../src/executor/executor.ts'
import { failureOf } from '../support/failure-of.ts'
import { requestFor } from '../support/fake-executor.ts'
import { expectEventOrder } from './event-order.ts'

/**
 * How a writer's model is set up for one test.
 * - `write`: it writes a text that cites the sources, or the JSON that is asked for.
 * - `invent`: the text has addresses that are no source.
 * - `silent`: it is asked and never says a word. `hang`: it says some words, and no more.
 * - `fail`: it fails before its first word. `break`: behind some words.
 */
export type WriterBehaviour = 'write' | 'invent' | 'silent' | 'hang' | 'fail' | 'break'

/** The scenarios of the sandbox that set a model up so. */
export const writerScenarios: Readonly<Record<WriterBehaviour, Scenario>> = {
  write: 'ok',
  invent: 'invented-url',
  silent: 'hang',
  hang: 'hang-midway',
  fail: 'error-429',
  break: 'cut-in-text',
}

export interface WriterFixture {
  readonly writer: Pick<Executor, 'search' | 'prepare'>
  /** Calls of the model that have not ended. */
  running(): number | Promise<number>
  /** Resolves once the model is asked. */
  begun(): Promise<void>
  /** What is held for texts that are written or will be, such as processes. Absent: it makes nothing ready. */
  held?(): Promise<number>
  dispose(): Promise<void>
}

export interface WriterContractOptions {
  readonly create: (behaviour: WriterBehaviour) => WriterFixture | Promise<WriterFixture>
  /** What a text throws that was set up to fail before its first word, and behind some words. */
  readonly failure: SearchErrorCode
  readonly breakage: SearchErrorCode
  /** What `done` says of who wrote. */
  readonly model: string
  readonly timeoutMs?: number | undefined
}

/** Registers the tests that everything must pass that writes over known pages. */
export function writerContract(name: string, options: WriterContractOptions): void {
  describe(`${name} keeps the contract of a writer`, () => {
    // A describe each, because the hooks of a fixture run for all tests beside them.
    describe('when it writes', () => writingTests(options))
    describe('when it invents addresses', () => groundingTests(options))
    describe('when its caller leaves', () => {
      describe('before the first word', () => leavingTests(options, 'silent'))
      describe('behind some words', () => leavingTests(options, 'hang'))
    })
    describe('when it fails', () => failureTests(options))
    describe('when it breaks off', () => breakTests(options))
    describe('when it is prepared', () => preparedTests(options))
  })
}

function writingTests({ create, model, timeoutMs }: WriterContractOptions): void {
  const fixture = useFixture(() => create('write'))

  test(
    'streams a text that cites the pages, and says who wrote and what it cost',
    async () => {
      const events = await Array.fromAsync(fixture().writer.search(overPages(), live()))
      expectEventOrder(events)
      expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1)
      const answer = await collect(each(events))
      expect(answer.citations.map(({ number, url }) => [number, url])).toEqual([
        [1, pages[0].url],
        [2, pages[1].url],
      ])
      expect(answer).toMatchObject({ reason: 'stop', model, usage: { searches: 0 } })
      expect(Math.min(answer.usage.inputTokens, answer.usage.outputTokens)).toBeGreaterThan(0)
      expect(await fixture().running()).toBe(0)
    },
    timeoutMs,
  )

  test(
    'writes JSON that fits a schema',
    async () => {
      const answer = await collect(fixture().writer.search(overPages({ schema }), live()))
      expect(JSON.parse(answer.text)).toEqual({ summary: expect.any(String) })
    },
    timeoutMs,
  )
}

function groundingTests({ create, timeoutMs }: WriterContractOptions): void {
  const fixture = useFixture(() => create('invent'))

  test(
    'gives no address that is no source',
    async () => {
      const { text, citations } = await collect(fixture().writer.search(overPages(), live()))
      expect(text).not.toMatch(/https?:|\]\(|www\./)
      const known: readonly string[] = pages.map(({ url }) => url)
      expect(citations.filter(({ url }) => !known.includes(url))).toEqual([])
    },
    timeoutMs,
  )
}

function leavingTests({ create, timeoutMs }: WriterContractOptions, behaviour: 'silent' | 'hang'): void {
  const fixture = useFixture(() => create(behaviour))

  test.each([
    ['an abort', undefined, 'cancelled'],
    ['a time-out', new DOMException('Too late.', 'TimeoutError'), 'timeout'],
  ] as const)(
    'has its model stop on %s',
    async (_, reason, code) => {
      const leave = new AbortController()
      const events: SearchEvent[] = []
      const failure = failureOf(readInto(events, fixture().writer.search(overPages(), { signal: leave.signal })))
      await fixture().begun()
      if (behaviour === 'hang') await eventually(() => events.some(({ type }) => type === 'text-delta'))
      leave.abort(reason)
      expect((await failure).code).toBe(code)
      await eventually(async () => (await fixture().running()) === 0)
    },
    timeoutMs,
  )
}

function failureTests({ create, failure, timeoutMs }: WriterContractOptions): void {
  const fixture = useFixture(() => create('fail'))

  test(
    'throws before any word, so that another may write',
    async () => {
      const events: SearchEvent[] = []
      const error = await failureOf(readInto(events, fixture().writer.search(overPages(), live())))
      expect(error.code).toBe(failure)
      expect(wordsIn(events)).toBe('')
      await eventually(async () => (await fixture().running()) === 0)
    },
    timeoutMs,
  )
}

function breakTests({ create, breakage, timeoutMs }: WriterContractOptions): void {
  const fixture = useFixture(() => create('break'))

  test(
    'throws behind the words that have come, without an end',
    async () => {
      const events: SearchEvent[] = []
      const error = await failureOf(readInto(events, fixture().writer.search(overPages(), live())))
      expect(error.code).toBe(breakage)
      expect(wordsIn(events)).not.toBe('')
      expect(events.map(({ type }) => type)).not.toContain('done')
    },
    timeoutMs,
  )
}

function preparedTests({ create, timeoutMs }: WriterContractOptions): void {
  const fixture = useFixture(() => create('hang'))
  const held = async () => (await fixture().held?.()) ?? 0
  const prepared = async (caller: string) => {
    const { writer } = fixture()
    const before = await held()
    const one = await writer.prepare?.(overPages(), { ...live(), caller })
    if (writer.prepare) await eventually(async () => (await held()) === before + 1)
    return one
  }

  test(
    'takes what was made ready for the same caller, and for no other',
    async () => {
      const { writer } = fixture()
      const makes = writer.prepare ? 1 : 0
      const one = await prepared('a')
      const write = async (caller: string, expected: number) => {
        const leave = new AbortController()
        const events: SearchEvent[] = []
        const asked = { signal: leave.signal, caller }
        const failure = failureOf(readInto(events, writer.search(overPages(), asked)))
        await eventually(() => wordsIn(events) !== '')
        if (fixture().held) expect(await held()).toBe(expected)
        leave.abort()
        await failure
      }
      await write('b', makes + 1)
      await eventually(async () => (await held()) === makes)
      await write('a', 1)
      await eventually(async () => (await held()) === 0)
      one?.release()
      expect(await held()).toBe(0)
    },
    timeoutMs,
  )

  test(
    'gets back what no text has taken, however often it is released',
    async () => {
      const { writer } = fixture()
      const [one, two] = [await prepared('a'), await prepared('a')]
      const early = await writer.prepare?.(overPages(), { ...live(), caller: 'c' })
      for (const each of [early, one, two, one]) each?.release()
      await eventually(async () => (await held()) === 0)
      const leave = new AbortController()
      const late = await writer.prepare?.(overPages(), { signal: leave.signal, caller: 'a' })
      leave.abort()
      late?.release()
      await eventually(async () => (await held()) === 0)
    },
    timeoutMs,
  )
}

/** A fixture for each test, disposed of after it. */
function useFixture(create: () => WriterFixture | Promise<WriterFixture>): () => WriterFixture {
  let current: WriterFixture | undefined
  beforeEach(async () => {
    current = await create()
  })
  afterEach(async () => {
    await current?.dispose()
    current = undefined
  })
  return () => {
    if (!current) throw new Error('There is no fixture outside a test.')
    return current
  }
}

const pages = [
  { title: 'Seals', url: 'https://example.com/seals', snippet: 'Seals live on ice.', source: 'fake' },
  { title: 'Diving', url: 'https://example.com/diving', snippet: 'Seals dive for an hour.', source: 'fake' },
] as const

const schema = {
  type: 'object',
  properties: { summary: { type: 'string' } },
  required: ['summary'],
  additionalProperties: false,
}

function overPages(rest: Partial<SearchRequest> = {}): SearchRequest {
  return requestFor('How do seals live?', { want: 'answer', effort: 'standard', sources: pages, ...rest })
}

async function readInto(events: SearchEvent[], stream: AsyncIterable<SearchEvent>): Promise<void> {
  for await (const event of stream) events.push(event)
}

function wordsIn(events: readonly SearchEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

const live = (): SearchContext => ({ signal: new AbortController().signal })

async function* each(events: Iterable<SearchEvent>): AsyncGenerator<SearchEvent> {
  yield* events
}
