import { describe, expect, test } from 'bun:test'
import { readEvent } from '@csp/messages-api/read-event'
import { eventMs, paceOf } from '../../src/stream/pace.ts'
import { sampleRequests } from '../sample-requests.ts'
import { readEvents } from '../stream-fold.ts'
import { createSandbox } from '../support/recorded-sandbox.ts'
import { startSandbox } from '../support/sandbox.ts'

const pace = { firstTokenMs: 700, tokensPerSecond: 80, searchMs: 900, models: { haiku: { tokensPerSecond: 160 } } }

describe('the pace of a model', () => {
  test('is that of all models, but for what is said of its name', () => {
    expect(paceOf('claude-sonnet-5-5', pace)).toMatchObject({ firstTokenMs: 700, tokensPerSecond: 80, searchMs: 900 })
    expect(paceOf('claude-haiku-4-5', pace)).toMatchObject({ firstTokenMs: 700, tokensPerSecond: 160, searchMs: 900 })
    expect(paceOf('claude-opus-4-8', {})).toEqual({ firstTokenMs: 0, tokensPerSecond: 0, searchMs: 0 })
  })

  test.each(['claude-sonnet-5-5', 'claude-haiku-4-5'])(
    'gives %s time for each token and each search',
    async (model) => {
      const events = await readEvents(await ask(createSandbox(), model))
      const characters = events.reduce(
        (sum, { delta }) => sum + String(delta?.['text'] ?? delta?.['partial_json'] ?? '').length,
        0,
      )
      const own = paceOf(model, pace)
      const total = events.reduce((sum, event) => sum + eventMs(readEvent(event) ?? { type: 'ping' }, own), 0)
      expect(characters).toBeGreaterThan(200)
      expect(total).toBeCloseTo(900 + (characters / 4 / own.tokensPerSecond) * 1000, 3)
    },
  )
})

describe('a sandbox with a pace', () => {
  test('keeps the slow model waiting for its first token and answers for the other', async () => {
    await using running = startSandbox({ pace: { models: { sonnet: { firstTokenMs: 600_000 } } } })
    const gone = new AbortController()
    const slow = ask(running, 'claude-sonnet-5-5', gone.signal)
    const events = await readEvents(await ask(running, 'claude-haiku-4-5'))
    expect(events.at(-1)?.type).toBe('message_stop')
    expect(running.sandbox.stats()).toMatchObject({ calls: 2, open: 1 })
    gone.abort()
    expect(await slow.catch((error: Error) => error.name)).toBe('AbortError')
  })

  test('sends no result before the search has ended', async () => {
    await using running = startSandbox({ pace: { searchMs: 600_000 } })
    const gone = new AbortController()
    const response = await ask(running, 'claude-sonnet-5-5', gone.signal)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('content_block_stop')) text += (await reader?.read())?.value ?? ''
    expect(text).not.toContain('web_search_tool_result')
    expect(running.sandbox.stats().open).toBe(1)
    gone.abort()
    await running.sandbox.until(({ open }) => open === 0)
  })
})

function ask(
  to: { readonly url: string } | { readonly fetch: (request: Request) => Promise<Response> },
  model: string,
  signal = new AbortController().signal,
): Promise<Response> {
  const url = `${'url' in to ? to.url : 'http://sandbox'}/v1/messages`
  const body = JSON.stringify({ ...sampleRequests.search('bun runtime'), model })
  const request = new Request(url, { method: 'POST', body, signal })
  return 'url' in to ? fetch(request) : to.fetch(request)
}
