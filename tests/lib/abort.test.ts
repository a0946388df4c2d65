import { describe, expect, test } from 'bun:test'
import { RunningWork } from '../../src/lib/abort.ts'

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
