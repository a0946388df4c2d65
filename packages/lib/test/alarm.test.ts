import { expect, spyOn, test } from 'bun:test'
import { Alarm } from '../src/alarm.ts'

const forever = 60_000

test('an alarm that is set later than before fires at the later time, and for the latest caller alone', async () => {
  const alarm = new Alarm()
  const fired = Promise.withResolvers<string>()
  const startedAt = performance.now()
  alarm.set(5, () => fired.resolve('the first'))
  alarm.set(40, () => fired.resolve('the second'))
  expect(await fired.promise).toBe('the second')
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(40)
})

test('an alarm that is set sooner than before does not wait for the earlier setting', async () => {
  const alarm = new Alarm()
  const fired = Promise.withResolvers<void>()
  alarm.set(forever, () => {})
  alarm.set(1, fired.resolve)
  await fired.promise
})

test('an alarm can be set again after it has fired, and from within', async () => {
  const alarm = new Alarm()
  const fired = Promise.withResolvers<void>()
  alarm.set(1, () => alarm.set(1, fired.resolve))
  await fired.promise
})

test('an alarm that is stopped does not fire', async () => {
  const alarm = new Alarm()
  let fired = 0
  alarm.set(1, () => fired++)
  alarm.stop()
  await Bun.sleep(10)
  expect(fired).toBe(0)
})

test('an alarm that is set later and later has one timer', () => {
  const timers = spyOn(globalThis, 'setTimeout')
  const alarm = new Alarm()
  try {
    for (let time = 0; time < 5; time++) alarm.set(forever + time, () => {})
    expect(timers).toHaveBeenCalledTimes(1)
    alarm.stop()
    alarm.set(forever, () => {})
    expect(timers).toHaveBeenCalledTimes(2)
  } finally {
    alarm.stop()
    timers.mockRestore()
  }
})
