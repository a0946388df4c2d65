import { expect, test } from 'bun:test'
import type { CliEvent } from '../../../../../src/executor/backends/claude/worker/events.ts'
import { runTurn } from '../../../../../src/executor/backends/claude/worker/turn.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'
import { failureOf } from '../../../../support/failure-of.ts'

const now = new Date('2026-11-20T10:00:00Z')
const resetsAt = new Date('2026-11-20T12:00:00Z')

/** How a turn fails in which the CLI reports a limit and is then refused for one. */
async function failureAfter(status: string) {
  const result = { failed: true, text: 'API Error: Rate limited', apiStatus: 429, usage: undefined }
  const events = [
    { type: 'rate-limit', limit: { status, resetsAt } },
    { type: 'result', result },
  ] as unknown as readonly CliEvent[]
  const worker = {
    model: 'sonnet',
    interrupt() {},
    async *turn() {
      yield* events
    },
  } as unknown as Worker
  const { signal } = new AbortController()
  const options = { prompt: 'p', model: 'sonnet', tools: undefined, signal, enough: signal, now: () => now }
  return failureOf(Array.fromAsync(runTurn(worker, { ...options, onRateLimit: () => {} })))
}

test('the error of a limit that was hit says when the limit ends', async () => {
  expect(await failureAfter('rejected')).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 7200 })
})

test('the error of a limit that was hit does not take the end of another limit that only came near', async () => {
  const { code, retryAfterSeconds } = await failureAfter('allowed_warning')
  expect([code, retryAfterSeconds]).toEqual(['rate-limited', undefined])
})
