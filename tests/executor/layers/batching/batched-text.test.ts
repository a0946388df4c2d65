import { expect, test } from 'bun:test'
import { SearchError } from '../../../../src/domain/error.ts'
import type { SearchEvent } from '../../../../src/domain/search.ts'
import { batchedText } from '../../../../src/executor/layers/batching/batched-text.ts'
import { done, fakeExecutor, plays, requestFor, type Step } from '../../../support/fake-executor.ts'

const text = (words: string): SearchEvent => ({ type: 'text-delta', text: words })
const call = (id: string, words: string): SearchEvent => ({ type: 'tool-call-delta', id, arguments: words })
const citation: SearchEvent = {
  type: 'citation',
  citation: { number: 1, url: 'https://example.com', title: 'A page', start: 0, end: 3 },
}

function batched(steps: readonly Step[], intervalMs = 1000, isWhole = false): AsyncIterable<SearchEvent> {
  // A machine that has run for days.
  const now = () => 1e9 + performance.now()
  const executor = batchedText({ intervalMs, now })(fakeExecutor(plays(steps)))
  return executor.search(requestFor('q', { want: 'answer' }), { signal: new AbortController().signal, isWhole })
}

test('the first piece of text goes out at once, and the pieces soon after it are joined', async () => {
  const events = await Array.fromAsync(batched([text('a'), text('b'), text('c'), text('d'), done]))
  expect(events).toEqual([text('a'), text('bcd'), done])
})

test('an event that is not text goes out at once, after the text before it', async () => {
  const events = await Array.fromAsync(batched([text('[1'), text(']'), citation, text(' x'), text('y'), done]))
  expect(events).toEqual([text('[1'), text(']'), citation, text(' xy'), done])
})

test('arguments of one tool call are joined, never with those of another call or with text', async () => {
  const steps = [call('one', '{'), call('one', '"a"'), call('one', '}'), call('two', '{'), call('two', '}'), text('x')]
  const events = await Array.fromAsync(batched([...steps, done]))
  expect(events).toEqual([call('one', '{'), call('one', '"a"}'), call('two', '{'), call('two', '}'), text('x'), done])
})

test('buffered text goes out after the interval although nothing follows it', async () => {
  const gate = Promise.withResolvers<void>()
  const seen: SearchEvent[] = []
  for await (const event of batched([text('a'), text('b'), () => gate.promise, done], 20)) {
    seen.push(event)
    if (event.type === 'text-delta' && event.text === 'b') gate.resolve()
  }
  expect(seen).toEqual([text('a'), text('b'), done])
})

test('the longer a text is written, the longer its pieces are gathered, up to a bound', async () => {
  let time = 1000
  const at = (ms: number) => async () => {
    time = 1000 + ms
  }
  const steps = [text('a'), at(60), text('b'), at(300), text('c'), at(390), text('d'), at(410), text('e')]
  const later = [at(9000), text('f'), at(9190), text('g'), at(9210), text('h'), done]
  const options = { intervalMs: 50, maxIntervalMs: 200, now: () => time }
  const executor = batchedText(options)(fakeExecutor(plays([...steps, ...later])))
  const { signal } = new AbortController()
  const events = await Array.fromAsync(executor.search(requestFor('q', { want: 'answer' }), { signal }))
  expect(events).toEqual([...['a', 'b', 'c', 'de', 'f', 'gh'].map(text), done])
})

test('a caller that waits for the whole answer gets the text after the first piece at once, however slowly it is written', async () => {
  const slowly = () => new Promise((resolve) => setTimeout(resolve, 10))
  const events = await Array.fromAsync(batched([text('a'), slowly, text('b'), slowly, text('c'), done], 0, true))
  expect(events).toEqual([text('a'), text('bc'), done])
})

test('a text that is written faster than it is sent is not gathered without end', async () => {
  const piece = 'x'.repeat(32 * 1024)
  const steps = Array.from({ length: 21 }, () => text(piece))
  const events = await Array.fromAsync(batched([...steps, done], 1000, true))
  const lengths = events.map((event) => (event.type === 'text-delta' ? event.text.length : 0))
  expect(lengths).toEqual([32 * 1024, ...Array(10).fill(64 * 1024), 0])
})

test('buffered text goes out before a failure', async () => {
  const seen: SearchEvent[] = []
  const failing = (async () => {
    for await (const event of batched([text('a'), text('b'), new SearchError('timeout', 'Too long.')])) seen.push(event)
  })()
  await expect(failing).rejects.toMatchObject({ code: 'timeout' })
  expect(seen).toEqual([text('a'), text('b')])
})
