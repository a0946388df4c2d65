import { describe, expect, test } from 'bun:test'
import { hostileMarkdown } from '@csp/testing/hostile-markdown'
import { liveMarkup } from '@csp/testing/rendered'
import { messages } from '../../src/executor/backends/messages/messages.ts'
import { createStack } from '../../src/executor/layers/stack.ts'
import { testApp } from '../api/test-app.ts'
import { serveApi } from '../executor/backends/http/api-server.ts'
import { draftedReceipts } from '../support/over-pages.ts'
import { answerRoutes } from '../support/written-answers.ts'
import { callOf } from './every-route.ts'
import { textsIn } from './reply-texts.ts'

// What the API says it has cited of a page is the page's text: it leaves dead, in every dialect, and as no more than words.

const words: Readonly<Record<string, string>> = {
  'a script as an address': 'Seals [click](javascript:alert(1)) bark <a href="javascript:alert(1)">here</a>.',
  'a fence that is drawn':
    '```mermaid\nclick A href "https://evil.example/p"\n```\n```html\n<img src=x onerror=alert(1)>\n```',
  'an image in code': '`![x](//evil.example/p.png)` <img src=//evil.example/q.png>',
  'code that is cut in two': `${'Seals bark. '.repeat(10)}x\`<img src=x onerror=alert(1)>\` and more.`,
  'all that is hostile': Object.values(hostileMarkdown).join('\n').slice(0, 400),
}
const url = 'https://seals.example/a'
const gemini = {
  path: '/v1beta/models/gemini-flash-latest:generateContent',
  body: (text: string) => ({ contents: [{ parts: [{ text }] }], tools: [{ googleSearch: {} }] }),
  streamed: null,
}
const mcp = { path: '/mcp', body: (question: string) => callOf('ask_web', { question }), streamed: null }

/** A message of the API whose text cites a page with these words, and one that no search found. */
function cites(citedText: string): string {
  const blocks = [
    {
      start: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: '{"query":"seals"}' }],
    },
    {
      start: {
        type: 'web_search_tool_result',
        tool_use_id: 's1',
        content: [{ type: 'web_search_result', url, title: 'Seals' }],
      },
      deltas: [],
    },
    {
      start: { type: 'text', text: '' },
      deltas: [
        ...[url, 'https://stranger.example/'].map((address) => ({
          type: 'citations_delta',
          citation: { type: 'web_search_result_location', url: address, title: 'Seals', cited_text: citedText },
        })),
        { type: 'text_delta', text: 'Seals bark.' },
      ],
    },
  ]
  const events = [
    { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ]
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

describe.each(Object.entries(words))('%s in what is cited', (_, text) => {
  test.each(
    [...answerRoutes, gemini, mcp].flatMap(({ path, body, streamed }) => [
      { path, body: body('seals?') },
      ...(streamed ? [{ path, body: { ...body('seals?'), ...streamed } }] : []),
    ]),
  )('is dead in the reply of $path (%#)', async ({ path, body }) => {
    await using api = serveApi(() => new Response(cites(text)))
    const backend = messages({ apiKey: 'k', model: 'm', url: api.url, version: '1', requestsPerSecond: 0 })
    const { receipts, drafts } = draftedReceipts()
    const app = testApp(undefined, { executor: createStack([backend], { evidence: { receipts } }) })
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
    const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const reply = await response.text()
    expect(response.status).toBe(200)
    expect(reply).toContain('bark')
    // A text of MCP names its sources by their own addresses.
    const live = (one: string) => liveMarkup(one).filter((line) => !line.endsWith(`link ${url}`))
    for (const [place, one] of textsIn(reply)) expect([place, live(one)]).toEqual([place, []])
    expect(reply).not.toContain('stranger.example')
    expect(drafts).toHaveLength(1)
    for (const { passage } of (await drafts[0])?.sentences ?? []) expect(liveMarkup(passage?.text ?? '')).toEqual([])
  })
})
