import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { testApp } from '../../test-app.ts'

const inputs = ['query', 'count', 'freshness', 'include_domains', 'country', 'question', 'effort', 'conversation']
const value = fc.oneof(fc.jsonValue(), fc.constantFrom('bees', '5', 5, null, '', '\ud800', 'deep', 'week'))
const input = fc.dictionary(fc.constantFrom(...inputs, '__proto__'), value)

/** Messages that are nearly right reach further than those that are not. */
const call = fc
  .record({ name: fc.constantFrom('web_search', 'ask_web', 'constructor'), input, rest: fc.object({ maxDepth: 1 }) })
  .map(({ name, input: sent, rest }) => ({
    ...rest,
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: { query: 'bees', question: 'bees?', ...sent } },
  }))
const body = fc.oneof(fc.jsonValue(), fc.array(call, { maxLength: 3 }), call)

test.each(['application/json', 'application/json, text/event-stream'])(
  'any JSON sent to /mcp is answered or refused, for a client that accepts %s',
  async (accept) => {
    const { request } = testApp()
    const property = fc.asyncProperty(body, async (sent) => {
      const reply = await request('/mcp', { method: 'POST', body: JSON.stringify(sent), headers: { accept } })
      expect(reply.status).toBeLessThan(500)
      const text = await reply.text()
      if (reply.status === 202) return expect(text).toBe('')
      const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') ?? false
      const messages = isStream ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data) : [text]
      expect(messages.length).toBeGreaterThan(0)
      for (const message of messages) {
        for (const one of [JSON.parse(message)].flat()) expect(one.result ?? one.error).toBeObject()
      }
    })
    await fc.assert(property, { numRuns: runs(300) })
  },
)
