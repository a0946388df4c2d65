import { describe, expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { collect } from '../../../../../src/domain/answer.ts'
import type { SearchEvent } from '../../../../../src/domain/search.ts'
import { endAtStop } from '../../../../../src/executor/answer/stop-sequences.ts'
import { expectEventOrder } from '../../../../contract/event-order.ts'
import { strategies } from '../../../../support/claude-executor.ts'
import { done } from '../../../../support/fake-executor.ts'
import { cliProcesses } from './claude.ts'
import { claude } from './stand-in.ts'

/** The text as it leaves, and how often the source was asked to stop. */
async function cut(pieces: readonly string[], stop: readonly string[]) {
  let stops = 0
  async function* source(): AsyncGenerator<SearchEvent> {
    for (const text of pieces) yield { type: 'text-delta', text }
    yield { ...done, reason: 'length' }
  }
  const events = await Array.fromAsync(endAtStop(source(), stop, () => stops++))
  const { text, reason, stopSequence } = await collect(
    (async function* () {
      yield* events
    })(),
  )
  return { text, reason, stopSequence, stops, events }
}

/** Of the sequences that are whole first, the longest. */
function expectedOf(text: string, stop: readonly string[]): string | undefined {
  const ends = stop.filter(Boolean).map((sequence) => text.indexOf(sequence) + sequence.length)
  const found = ends.filter((end, index) => end >= (stop.filter(Boolean)[index]?.length ?? 0))
  if (found.length === 0) return undefined
  const end = Math.min(...found)
  const longest = Math.max(
    ...stop.filter((sequence) => sequence && text.slice(0, end).endsWith(sequence)).map((s) => s.length),
  )
  return text.slice(0, end - longest)
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 20 })
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 4 }), { maxLength: 4 })

test('a text ends before the first stop sequence, however it was cut into pieces', async () => {
  const property = fc.asyncProperty(fc.array(text, { maxLength: 6 }), stops, async (pieces, stop) => {
    const whole = pieces.join('')
    const expected = expectedOf(whole, stop)
    const left = await cut(pieces, stop)
    expect(left.text).toBe(expected ?? whole)
    expect(left.reason).toBe(expected === undefined ? 'length' : 'stop')
    if (expected === undefined) expect(left.stopSequence).toBeUndefined()
    else expect(whole.slice(expected.length)).toStartWith(left.stopSequence ?? 'none')
    expect(left.stops).toBe(expected === undefined ? 0 : 1)
  })
  await fc.assert(property, { numRuns: runs(2000) })
})

test('no more text is held back than the longest stop sequence less a character', async () => {
  const property = fc.asyncProperty(fc.array(text, { maxLength: 6 }), stops, async (pieces, stop) => {
    let pushed = 0
    let left = 0
    let stopped = false
    const most = Math.max(0, ...stop.map(({ length }) => length - 1))
    async function* source(): AsyncGenerator<SearchEvent> {
      for (const piece of pieces) {
        if (!stopped) expect(pushed - left).toBeLessThanOrEqual(most)
        pushed += piece.length
        yield { type: 'text-delta', text: piece }
      }
      yield done
    }
    for await (const event of endAtStop(source(), stop, () => (stopped = true))) {
      if (event.type === 'text-delta') left += event.text.length
    }
    if (!stopped) expect(left).toBe(pushed)
  })
  await fc.assert(property, { numRuns: runs(500) })
})

describe('a text with citations and markers', () => {
  const citation = (start: number) => ({ number: 1, url: 'https://a.example/', title: 'A', start, end: start + 3 })
  const events: readonly SearchEvent[] = [
    { type: 'text-delta', text: 'So [1]' },
    { type: 'citation', citation: citation(3) },
    { type: 'text-delta', text: '. And [1]' },
    { type: 'citation', citation: citation(12) },
    { type: 'text-delta', text: '. End' },
    { type: 'tool-call-start', id: 'a', name: 'b' },
    done,
  ]
  async function* source() {
    yield* events
  }

  test.each([
    [['1]. A'], 'So [', []],
    [['. And'], 'So [1]', [3]],
    [[' And'], 'So [1].', [3]],
    [['[1]. E'], 'So [1]. And ', [3]],
    [['Endless'], 'So [1]. And [1]. End', [3, 12]],
    [['', 'nowhere'], 'So [1]. And [1]. End', [3, 12]],
  ] as const)('ends at the stop sequences %o', async (stop, text, starts) => {
    const out = await Array.fromAsync(endAtStop(source(), stop, () => {}))
    expect(out.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe(text)
    expect(out.flatMap((event) => (event.type === 'citation' ? [event.citation.start] : []))).toEqual([...starts])
    const stopSequence = text.endsWith('End') ? undefined : stop[0]
    expect(out.at(-1)).toEqual({ ...done, ...(stopSequence && { stopSequence }) })
    let length = 0
    for (const event of out) {
      if (event.type === 'text-delta') length += event.text.length
      if (event.type === 'citation') expect(event.citation.end).toBeLessThanOrEqual(length)
    }
    const calls = out.filter(({ type }) => type === 'tool-call-start').length
    expect(calls).toBe(text.endsWith('End') ? 1 : 0)
  })
})

describe('a stop sequence', () => {
  const { sandbox, search, executor } = claude

  test.each(['fast', 'standard', 'deep', 'text'] as const)('ends the answer of the strategy %s', async (strategy) => {
    const whole = await search('harbour seals', strategies[strategy])
    const stop = ['never', whole.text.slice(20, 26)]
    const answer = await search('harbour seals', { ...strategies[strategy], stop })
    expect(answer.text).toBe(whole.text.slice(0, whole.text.indexOf(stop[1] ?? '')))
    expect(answer).toMatchObject({ reason: 'stop', citations: [] })
    expect(answer.searches).toHaveLength(strategy === 'text' ? 0 : 1)
  })

  test('ends the turn, whose usage is reported, and its worker is used again', async () => {
    await search('harbour seals', strategies.text)
    const before = cliProcesses()
    sandbox.reset()
    sandbox.configure({ scenario: 'slow', deltaPauseMs: 200 })
    const { signal } = new AbortController()
    const request = {
      query: 'harbour seals',
      history: [],
      filters: {},
      effort: 'fast',
      ...strategies.text,
      stop: ['answer'],
    } as const
    const events = await Array.fromAsync(executor.search(request, { signal }))
    expectEventOrder(events)
    // Before the whole reply was read.
    await sandbox.until(({ open }) => open === 0)
    expect(events.at(-1)).toMatchObject({ type: 'done', reason: 'stop' })
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('')).toBe('Sandbox ')
    sandbox.reset()
    await search('terns', strategies.text)
    expect(cliProcesses().filter((pid) => !before.includes(pid))).toEqual([])
  })
})
