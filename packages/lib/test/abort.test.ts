import { describe, expect, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { maxTimerMs, pause, RunningWork, raced, timedOut, whenAborted, withTimeout } from '../src/abort.ts'

describe('running work', () => {
  const begun = () => {
    const running = new RunningWork(() => new Error('closed'))
    const caller = new AbortController()
    return { running, caller, first: running.begin(caller.signal), second: running.begin(new AbortController().signal) }
  }

  test('ends with its caller, for the reason of that', () => {
    const { caller, first, second } = begun()
    caller.abort(new Error('left'))
    expect(first.signal.reason).toEqual(new Error('left'))
    expect(second.signal.aborted).toBe(false)
  })

  test('ends by itself, without the others', () => {
    const { first, second } = begun()
    first.end()
    expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false])
  })

  test('ends when all is closed, except for what is over, and nothing begins after that', () => {
    const { running, first, second } = begun()
    first.end()
    running.close()
    expect(first.signal.reason).not.toBeInstanceOf(Error)
    expect(second.signal.reason).toEqual(new Error('closed'))
    expect(running.isClosed).toBe(true)
    expect(() => running.begin(new AbortController().signal)).toThrow('closed')
  })
})

test('a promise is waited for as long as it may take, and its failure is its own', async () => {
  expect(await withTimeout(Promise.resolve(1), maxTimerMs)).toBe(1)
  expect(await withTimeout(new Promise(() => {}), 1)).toBe(timedOut)
  const failure = new Error('No.')
  expect(await withTimeout(Promise.reject(failure), maxTimerMs).catch((error: unknown) => error)).toBe(failure)
  expect(maxTimerMs).toBe(2_147_483_647)
})

test('waiting ends with the signal, and leaves nothing at it', async () => {
  const own = new AbortController()
  const { signal } = own
  await pause(1, signal)
  expect(await raced(Promise.resolve(1), signal)).toBe(1)
  await new Promise((resolve) => setImmediate(resolve))
  expect(getEventListeners(signal, 'abort')).toEqual([])
  const reason = new Error('left')
  const waits = [
    pause(maxTimerMs, signal),
    whenAborted(signal),
    raced(new Promise(() => {}), signal).catch((error: unknown) => error),
  ]
  own.abort(reason)
  expect(await Promise.all(waits)).toEqual([undefined, undefined, reason])
  await Promise.all([pause(maxTimerMs, signal), whenAborted(signal)])
  expect(await raced(Promise.resolve(1), signal).catch((error: unknown) => error)).toBe(reason)
})
