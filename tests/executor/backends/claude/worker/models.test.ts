import { expect, spyOn, test } from 'bun:test'
import { offeredModels } from '../../../../../src/executor/backends/claude/worker/models.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'

const never = new AbortController().signal
const offered = (answer: unknown) => {
  const worker = { ask: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) }
  return offeredModels(worker as unknown as Worker, never)
}

test('the models that a CLI offers are those whose short name is a part of the full one', async () => {
  const models = [
    { value: 'opus', resolvedModel: 'claude-opus-5', displayName: 'Opus 5' },
    { value: 'haiku', resolvedModel: 'claude-haiku-5-20270101' },
    { value: 'default', resolvedModel: 'claude-opus-5', displayName: 'Default' },
    { value: 'opus', resolvedModel: 'claude-opusculum-5' },
    { value: 'claude-opus-5', resolvedModel: 'claude-opus-5' },
    ...[{ value: '5', resolvedModel: 'claude-opus-5' }, { value: 'opus' }, 7, null, undefined],
  ]
  expect(await offered({ models })).toEqual([
    { name: 'opus', fullName: 'claude-opus-5', title: 'Opus 5' },
    { name: 'haiku', fullName: 'claude-haiku-5-20270101', title: 'haiku' },
  ])
})

test('a CLI that does not know the question, or answers something else, offers none', async () => {
  for (const answer of [new Error('No.'), undefined, {}, { models: {} }]) expect(await offered(answer)).toEqual([])
})

test('a CLI that does not answer within five seconds offers none; neither does one whose csp is closed', async () => {
  const late = new AbortController()
  const timeout = spyOn(AbortSignal, 'timeout').mockImplementation(() => late.signal)
  const hanging = {
    ask: (_: unknown, signal: AbortSignal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  } as unknown as Worker
  try {
    const slow = offeredModels(hanging, never)
    expect(timeout.mock.calls).toEqual([[5000]])
    late.abort()
    expect(await slow).toEqual([])
  } finally {
    timeout.mockRestore()
  }
  const closing = new AbortController()
  const closed = offeredModels(hanging, closing.signal)
  closing.abort()
  expect(await closed).toEqual([])
})
