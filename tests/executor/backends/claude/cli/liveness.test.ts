import { expect, test } from 'bun:test'
import { Liveness } from '../../../../../src/executor/backends/claude/cli/liveness.ts'

/** A liveness whose process answers as configured; `silent` resolves when it is given up. */
function watch(answers: (count: number) => boolean, isKnownToAnswer?: boolean) {
  const given = Promise.withResolvers<'silent'>()
  const reached = Promise.withResolvers<'still asked'>()
  let asked = 0
  const ask = (): Promise<void> => {
    asked++
    if (asked === 20) reached.resolve('still asked')
    if (!answers(asked)) return new Promise(() => {})
    queueMicrotask(() => liveness.heard())
    return Promise.resolve()
  }
  const liveness = new Liveness({ ask, onSilence: () => given.resolve('silent'), everyMs: 2, isKnownToAnswer })
  return { liveness, asked: () => asked, outcome: Promise.race([given.promise, reached.promise]) }
}

test('a working process that answers is checked again and again', async () => {
  const { liveness, outcome } = watch(() => true, true)
  liveness.begin()
  expect(await outcome).toBe('still asked')
  liveness.end()
})

test('a process that has answered and then stops answering is given up', async () => {
  const { liveness, asked, outcome } = watch((count) => count < 4)
  liveness.ask()
  liveness.begin()
  expect(await outcome).toBe('silent')
  expect(asked()).toBe(4) // it is asked once, and then waited for
})

test('a process that has never answered is not given up, unless it has to answer', async () => {
  const { liveness, asked, outcome } = watch(() => false)
  liveness.ask()
  liveness.begin()
  const obliged = watch(() => false, true)
  obliged.liveness.begin()
  expect(await obliged.outcome).toBe('silent')
  expect(await Promise.race([outcome, Bun.sleep(20)])).toBeUndefined()
  expect(asked()).toBe(1)
  liveness.end()
})

test('an idle process is not checked, and only the end of the last work stops the checks', async () => {
  const { liveness, asked, outcome } = watch(() => true, true)
  liveness.begin()
  liveness.begin()
  liveness.end()
  expect(await outcome).toBe('still asked')
  liveness.end()
  const before = asked()
  await Bun.sleep(20)
  expect(asked()).toBe(before)
})
