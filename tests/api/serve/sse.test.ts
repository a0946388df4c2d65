import { expect, test } from 'bun:test'
import { eventually } from '@csp/testing/eventually'
import {
  type EventStreamOptions,
  eventStream,
  jsonFrame,
  serverSentEvents,
  watchedStream,
} from '../../../src/api/serve/sse.ts'

type Step = IteratorResult<{ readonly data: string }>

/** A stream of frames that come when they are let, and what happens to it. */
function streamOf(options: Partial<EventStreamOptions> = {}) {
  const notes: string[] = []
  const first = Promise.withResolvers<Step>()
  const steps: (() => Promise<Step>)[] = []
  const body = eventStream({
    frames: {
      next: () => steps.shift()?.() ?? new Promise(() => {}),
      async return() {
        await new Promise((resolve) => setImmediate(resolve))
        notes.push('returned')
        return { done: true, value: undefined }
      },
    },
    first: first.promise,
    framing: serverSentEvents,
    heartbeatMs: 60_000,
    isLate: false,
    onError: (error) => [jsonFrame({ error: String(error) }), jsonFrame('after')],
    onCancel: () => notes.push('cancelled'),
    onEnd: () => notes.push('ended'),
    ...options,
  })
  return { notes, first, steps, body }
}

const frame = (data: unknown): Step => ({ done: false, value: jsonFrame(data) })
const over: Step = { done: true, value: undefined }

test('frames are sent as they come, and the end is said once', async () => {
  const { body, first, steps, notes } = streamOf()
  first.resolve(frame(1))
  steps.push(
    async () => frame(2),
    async () => over,
  )
  expect(await new Response(body).text()).toBe('data: 1\n\ndata: 2\n\n')
  expect(notes).toEqual(['ended'])
})

test('a client that has waited long gets a heartbeat before the first frame, and one when none comes', async () => {
  const { body, first } = streamOf({ isLate: true, heartbeatMs: 1 })
  const reader = body.getReader()
  const read = async () => new TextDecoder().decode((await reader.read()).value)
  expect([await read(), await read()]).toEqual([': ping\n\n', ': ping\n\n'])
  first.resolve(frame('late'))
  let text = await read()
  while (text === ': ping\n\n') text = await read()
  expect(text).toBe('data: "late"\n\n')
  await reader.cancel()
})

test('a failure is the last that is sent', async () => {
  const { body, first, steps, notes } = streamOf()
  first.resolve(frame(1))
  steps.push(() => Promise.reject(new Error('torn')))
  expect(await new Response(body).text()).toBe('data: 1\n\ndata: {"error":"Error: torn"}\n\ndata: "after"\n\n')
  expect(notes).toEqual(['ended'])
})

test('a reader that leaves stops the work, whose end is waited for', async () => {
  const { body, first, notes } = streamOf()
  const reader = body.getReader()
  const reading = reader.read()
  await new Promise((resolve) => setImmediate(resolve))
  const left = reader.cancel()
  expect(notes).toEqual(['cancelled'])
  first.reject(new Error('aborted'))
  await left
  expect(notes).toEqual(['cancelled', 'returned', 'ended'])
  expect((await reading).done).toBe(true)
})

test('a reader that takes nothing for too long is cut off', async () => {
  const { body, first, notes } = streamOf({ maxUnreadMs: 1 })
  first.resolve(frame(1))
  const reader = body.getReader()
  await eventually(() => notes.at(-1) === 'ended')
  expect(notes).toEqual(['cancelled', 'returned', 'ended'])
  expect(await reader.read().catch((error: Error) => error.message)).toBe('The client does not read.')
})

test('bytes are passed on, and how they end is said once', async () => {
  const notes: string[] = []
  const watch = (body: ReadableStream<Uint8Array>, maxUnreadMs?: number) =>
    watchedStream(body, {
      maxUnreadMs,
      onCancel: () => notes.push('cancelled'),
      onError: (error) => notes.push(String(error)),
      onEnd: () => notes.push('ended'),
    })
  const sent = (...parts: readonly string[]) => new Response(parts.join('')).body ?? new ReadableStream()
  expect(await new Response(watch(sent('a', 'b'))).text()).toBe('ab')
  expect(notes.splice(0)).toEqual(['ended'])
  const torn = new ReadableStream({ pull: (controller) => controller.error(new Error('torn')) })
  expect(await new Response(watch(torn)).text().catch((error: Error) => error.message)).toBe('torn')
  expect(notes.splice(0)).toEqual(['Error: torn', 'ended'])
  let isCancelled = false
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Uint8Array.of(1)),
      cancel() {
        isCancelled = true
      },
    })
  await watch(endless()).cancel()
  expect([isCancelled, notes.splice(0)]).toEqual([true, ['cancelled', 'ended']])
  const unread = watch(endless(), 1).getReader()
  await eventually(() => notes.at(-1) === 'ended')
  expect(notes).toEqual(['cancelled', 'ended'])
  expect(await unread.read().catch((error: Error) => error.message)).toBe('The client does not read.')
})
