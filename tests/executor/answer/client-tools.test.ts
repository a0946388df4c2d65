import { expect, test } from 'bun:test'
import { clientToolsFor } from '../../../src/executor/answer/client-tools.ts'
import { requestFor } from '../../support/fake-executor.ts'

test('each tool is listed as one that the CLI must show to its model, not hide behind a search for tools', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ name: 'weather', description: 'The weather of a city.', parameters }]
  const offered = clientToolsFor(requestFor('q', { want: 'answer', tools }))
  expect(offered?.answer({ jsonrpc: '2.0', id: 7, method: 'tools/list' })).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: {
      tools: [
        {
          name: 'weather',
          description: 'The weather of a city.',
          inputSchema: parameters,
          _meta: { 'anthropic/alwaysLoad': true },
        },
      ],
    },
  })
})
