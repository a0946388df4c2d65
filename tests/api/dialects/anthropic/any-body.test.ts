import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { testApp } from '../../test-app.ts'

const types = ['text', 'tool_use', 'tool_result', 'server_tool_use', 'web_search_tool_result', 'thinking', 'image', 'x']
const block = fc.record(
  {
    type: fc.constantFrom(...types),
    text: fc.oneof(fc.string(), fc.jsonValue()),
    id: fc.constantFrom('a', 'b', ''),
    name: fc.constantFrom('weather', 'web_search', '__proto__'),
    input: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    tool_use_id: fc.constantFrom('a', 'b', 5),
    content: fc.jsonValue(),
    is_error: fc.boolean(),
  },
  { requiredKeys: ['type'] },
)
const content = fc.oneof(fc.string(), fc.array(block, { maxLength: 4 }), fc.jsonValue())
const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'x'), content })
const tool = fc.record(
  {
    type: fc.constantFrom('custom', 'web_search_20250305', 'bash_20250124', null),
    name: fc.constantFrom('weather', 'web_search', 'a b'),
    input_schema: fc.oneof(fc.constant({ type: 'object' }), fc.jsonValue()),
    max_uses: fc.oneof(fc.nat(3), fc.jsonValue()),
    allowed_domains: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
    user_location: fc.jsonValue(),
  },
  { requiredKeys: ['name'] },
)
const choice = fc.record({ type: fc.constantFrom('auto', 'any', 'tool', 'none'), name: fc.constant('weather') })
const fields = {
  model: fc.constantFrom('sonar', 'gpt-9', 5),
  max_tokens: fc.constantFrom(1, 0, '5'),
  messages: fc.oneof(fc.array(message, { maxLength: 4 }), fc.jsonValue()),
  system: content,
  tools: fc.oneof(fc.array(tool, { maxLength: 3 }), fc.jsonValue()),
  tool_choice: fc.oneof(choice, fc.jsonValue()),
  stream: fc.oneof(fc.boolean(), fc.jsonValue()),
  stop_sequences: fc.oneof(fc.array(fc.string()), fc.jsonValue()),
  thinking: fc.jsonValue(),
  output_config: fc.jsonValue(),
}
const question = { role: 'user', content: 'Why do bees hum?' }
/** Bodies that are nearly right reach further than those that are not. */
const body = fc
  .tuple(fc.record(fields), fc.subarray(Object.keys(fields), { maxLength: 3 }), fc.array(message, { maxLength: 3 }))
  .map(([wild, chosen, before]) => ({
    model: 'claude-opus-5',
    max_tokens: 10,
    messages: [...before, question],
    ...Object.fromEntries(Object.entries(wild).filter(([name]) => chosen.includes(name))),
  }))

test("any JSON sent to the Messages API is answered, or refused in the vendor's shape", async () => {
  const { request } = testApp()
  let answered = 0
  const property = fc.asyncProperty(body, async (sent) => {
    const response = await request('/v1/messages', { method: 'POST', body: JSON.stringify(sent) })
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      expect(text).toEndWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')
    } else {
      expect([200, 400, 404]).toContain(response.status)
      expect(JSON.parse(text).type).toBe(response.status === 200 ? 'message' : 'error')
    }
    if (response.status === 200) answered++
  })
  await fc.assert(property, { numRuns: runs(1000) })
  expect(answered).toBeGreaterThan(runs(50))
})
