import { spyOn } from 'bun:test'

const times = 20

/** Until it is disposed of, time passes twenty times as fast for timers and for `performance.now`. */
export function quickTimers(): Disposable {
  const { setTimeout: after, performance: clock } = globalThis
  const { timeout } = AbortSignal
  const { sleep } = Bun
  const now = clock.now.bind(clock)
  const began = now()
  const spies = [
    spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms = 0, ...rest: never[]) =>
      after(callback, ms / times, ...rest)) as typeof setTimeout),
    spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, Math.ceil(ms / times))),
    spyOn(Bun, 'sleep').mockImplementation((ms) => (typeof ms === 'number' ? sleep(ms / times) : sleep(ms))),
    spyOn(clock, 'now').mockImplementation(() => began + (now() - began) * times),
  ]
  return {
    [Symbol.dispose]() {
      for (const spy of spies) spy.mockRestore()
    },
  }
}
