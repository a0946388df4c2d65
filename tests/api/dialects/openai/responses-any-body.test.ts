import { expect, test } from 'bun:test'
import { runs } from '@csp/testing/runs'
import fc from 'fast-check'
import { testApp } from '../../test-app.ts'
import { eventsOf } from './response-events.ts'

const fields = [
  ...['model', 'input', 'instructions', 'stream', 'tools', 'tool_choice', 'parallel_tool_calls', 'text', 'include'],
  ...['preset', 'models', 'response_format', 'language_preference', 'background', 'previous_response_id', 'prompt'],
]
const itemFields = ['type', 'role', 'content', 'id', 'call_id', 'name', 'arguments', 'output']
const word = fc.constantFrom(
  ...[
    'bees',
    '',
    'sonar',
    'fast',
    'user',
    'assistant',
    'message',
    'function_call',
    'function_call_output',
    'web_search',
  ],
  ...['function', 'item_reference', 'input_text', 'c1', '{}', 'none', 'required', '\ud800'],
)
const item = fc.dictionary(fc.constantFrom(...itemFields), fc.oneof({ weight: 3, arbitrary: word }, fc.jsonValue()))
const value = fc.oneof(fc.jsonValue(), word, fc.boolean(), fc.array(item), item)
const body = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom(...fields), value),
  fc.dictionary(fc.constantFrom(...fields), value).map((more) => ({ ...more, input: 'bees' })),
  fc.array(item).map((items) => ({ input: [{ role: 'user', content: 'bees' }, ...items] })),
)

test("any JSON sent to the Responses API is answered or refused in OpenAI's shape", async () => {
  const { request } = testApp()
  const paths = fc.constantFrom('/v1/responses', '/v1/agent')
  const property = fc.asyncProperty(paths, body, async (path, sent) => {
    const response = await request(path, { method: 'POST', body: JSON.stringify(sent) })
    expect([200, 400, 404]).toContain(response.status)
    const text = await response.text()
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      expect(eventsOf(text).at(-1)?.type).toBe('response.completed')
    } else expect(JSON.parse(text).error === null).toBe(response.status === 200)
  })
  await fc.assert(property, { numRuns: runs(1500) })
})
