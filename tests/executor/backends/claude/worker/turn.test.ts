import { describe, expect, test } from 'bun:test'
import type { CliEvent } from '../../../../../src/executor/backends/claude/worker/events.ts'
import { runTurn } from '../../../../../src/executor/backends/claude/worker/turn.ts'
import type { Worker } from '../../../../../src/executor/backends/claude/worker/worker.ts'
import { failureOf } from '../../../../support/failure-of.ts'

const now = new Date('2026-11-20T10:00:00Z')
const resetsAt = '2026-11-20T12:00:00.000Z'

/** A turn in which the CLI says this. */
function turnOf(events: readonly CliEvent[], options: { readonly holdsMessages?: boolean } = {}) {
  const worker = {
    model: 'sonnet',
    interrupt() {},
    async *turn() {
      yield* events
    },
  } as unknown as Worker
  const { signal } = new AbortController()
  const setUp = { prompt: 'p', model: 'sonnet', tools: undefined, signal, enough: signal, now: () => now }
  return runTurn(worker, { ...setUp, ...options, onRateLimit: () => {} })
}

/** How a turn fails in which the CLI reports a limit and is then refused for one. */
async function failureAfter(status: string) {
  const result = { failed: true, text: 'API Error: Rate limited', apiStatus: 429, usage: undefined }
  const events = [
    { type: 'rate-limit', limit: { status, resetsAt } },
    { type: 'result', result },
  ] as unknown as readonly CliEvent[]
  return failureOf(Array.fromAsync(turnOf(events)))
}

test('the error of a limit that was hit says when the limit ends', async () => {
  expect(await failureAfter('rejected')).toMatchObject({ code: 'rate-limited', retryAfterSeconds: 7200 })
})

test('the error of a limit that was hit does not take the end of another limit that only came near', async () => {
  const { code, retryAfterSeconds } = await failureAfter('allowed_warning')
  expect([code, retryAfterSeconds]).toEqual(['rate-limited', undefined])
})

describe('A message that breaks off', () => {
  const cost = { apiStatus: undefined, inputTokens: 1, outputTokens: 1 }
  const result = (text: string): CliEvent => ({
    type: 'result',
    result: { failed: false, text, stopReason: 'end_turn', ...cost },
  })
  const text = (words: string): CliEvent => ({ type: 'text-delta', text: words })
  const start: CliEvent = { type: 'message-start' }
  const stop: CliEvent = { type: 'message-stop' }
  const end: CliEvent = { type: 'message-end', stopReason: 'end_turn' }
  const whole = [start, text('The whole answer.'), { type: 'text-kept' }, end, stop] as const
  const broken = [start, text('The wh'), stop] as const
  const retry: CliEvent = { type: 'retry' }
  const textOf = async (events: readonly CliEvent[], holdsMessages = true) => {
    const said = await Array.fromAsync(turnOf(events, { holdsMessages }))
    return said.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  }

  test('leaves nothing where its text was held, and the next one counts', async () => {
    expect(await textOf([...broken, retry, ...whole, result('The whole answer.')])).toBe('The whole answer.')
    expect(await textOf([...whole, ...broken, retry, ...whole, result('')])).toBe(
      'The whole answer.\n\nThe whole answer.',
    )
  })

  test('fails the turn where its text went out', async () => {
    for (const next of [[retry], [...whole], [result('The whole answer.')]]) {
      const { code } = await failureOf(textOf([...broken, ...next], false))
      expect(code).toBe('unavailable')
    }
  })

  test('fails the turn where the CLI lets the model go on from its text', async () => {
    const kept = [start, text('The wh'), { type: 'text-kept' }, stop] as const
    expect((await failureOf(textOf([...kept, retry, ...whole, result('')]))).code).toBe('unavailable')
  })

  test('is replaced by the text of a reply that did not stream', async () => {
    expect(await textOf([...broken, result('The whole answer.')])).toBe('The whole answer.')
    expect(await textOf([...whole, ...broken, result(' More.')])).toBe('The whole answer. More.')
  })

  test('does not pass for one that calls tools', async () => {
    const call: readonly CliEvent[] = [
      start,
      { type: 'call-start', index: 0, id: 'toolu_1', name: 'mcp__client__get' },
      { type: 'call-delta', index: 0, json: '{"city": "Ber' },
      stop,
      retry,
    ]
    const said = await Array.fromAsync(turnOf([...call, ...whole, result('')], { holdsMessages: true }))
    expect(said.map(({ type }) => type)).toEqual(['text-delta', 'end'])
  })

  test('is not taken for one whose search is tried again', async () => {
    const words = [start, text('Wait.'), retry, { type: 'text-kept' }, end, stop] as const
    expect(await textOf([...words, result('Wait.')], false)).toBe('Wait.')
    expect(await textOf([...words, result('Wait.')])).toBe('Wait.')
  })
})

test('a text that went on behind its limit has no gap there', async () => {
  const end: CliEvent = { type: 'message-end', stopReason: 'max_tokens' }
  const start: CliEvent = { type: 'message-start' }
  const said = await Array.fromAsync(
    turnOf([start, { type: 'text-delta', text: 'Half a wo' }, end, start, { type: 'text-delta', text: 'rd.' }]),
  )
  expect(said.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')).toBe('Half a word.')
})
