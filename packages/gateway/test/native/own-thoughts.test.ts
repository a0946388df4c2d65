import { expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { nativeUpstream } from '../../src/native/native.ts'

const thought = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
const request: MessagesRequest = {
  model: 'm',
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [thought('csp1:{"field":"reasoning"}'), { type: 'text', text: 'b' }] },
    { role: 'user', content: 'c' },
    { role: 'assistant', content: [thought('csp1:{"item":"rs_1"}')] },
    { role: 'user', content: 'd' },
    { role: 'assistant', content: [thought('EqoBCkgIARAB'), { type: 'text', text: 'e' }] },
  ],
}

test.each(['https://api.anthropic.com', 'http://127.0.0.1:1'])('What csp signed does not go to %s', async (baseUrl) => {
  let sent: MessagesRequest | undefined
  const upstream = nativeUpstream({
    name: 'x',
    baseUrl,
    async fetch(_url, { body }) {
      sent = JSON.parse(String(body))
      return Response.json({ type: 'error', error: { type: 'api_error', message: 'enough' } }, { status: 500 })
    },
  })
  const signal = new AbortController().signal
  await expect(upstream.forward(request, { signal })).rejects.toMatchObject({ status: 500 })
  expect(sent?.messages).toEqual([
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
    { role: 'user', content: 'c' },
    { role: 'user', content: 'd' },
    { role: 'assistant', content: [thought('EqoBCkgIARAB'), { type: 'text', text: 'e' }] },
  ])
})
