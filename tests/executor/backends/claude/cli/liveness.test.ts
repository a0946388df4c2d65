import { expect, test } from 'bun:test'
import { Pulse } from '../../../../../src/executor/backends/claude/cli/liveness.ts'

/** A pulse whose process answers as told; `silent` resolves when it is given up. */
function watch(answers: (count: number) => boolean, isKnownToAnswer?: boolean) {
  const given = Promise.withResolvers<'silent'>()
  const reached = Promise.withResolvers<'still asked'>()
  let asked = 0
  const ask = (): Promise<void> => {
    asked++
    if (asked === 20) reached.resolve('still asked')
    if (!answers(asked)) return new Promise(() => {})
    queueMicrotask(() => pulse.heard())
    return Promise.resolve()
  }
  const pulse = new Pulse({ ask, onSilence: () => given.resolve('silent'), everyMs: 2, isKnownToAnswer })
  return { pulse, asked: () => asked, outcome: Promise.race([given.promise, reached.promise]) }
}

test('a process at work that answers is asked again and again', async () => {
  const { pulse, outcome } = watch(() => true, true)
  pulse.begin()
  expect(await outcome).toBe('still asked')
  pulse.end()
})

test('one that has answered, and answers no more, is given up', async () => {
  const { pulse, asked, outcome } = watch((count) => count < 4)
  pulse.ask()
  pulse.begin()
  expect(await outcome).toBe('silent')
  expect(asked()).toBe(4) // it is asked once, and then waited for
})

test('one that has never answered is not judged, unless it has to answer', async () => {
  const { pulse, asked, outcome } = watch(() => false)
  pulse.ask()
  pulse.begin()
  const obliged = watch(() => false, true)
  obliged.pulse.begin()
  expect(await obliged.outcome).toBe('silent')
  expect(await Promise.race([outcome, Bun.sleep(20)])).toBeUndefined()
  expect(asked()).toBe(1)
  pulse.end()
})

test('no work, no questions: only the last to end ends it', async () => {
  const { pulse, asked, outcome } = watch(() => true, true)
  pulse.begin()
  pulse.begin()
  pulse.end()
  expect(await outcome).toBe('still asked')
  pulse.end()
  const before = asked()
  await Bun.sleep(20)
  expect(asked()).toBe(before)
})
