import { expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { sentBody } from '../support/sent-body.ts'

// What other adapters check of conversations for the Responses API: messages in, items out.

type Messages = MessagesRequest['messages']
type Row = readonly [name: string, messages: Messages, expected: readonly object[]]

const block = (type: string, fields: object) => ({ type, ...fields })
const text = (words: string) => block('text', { text: words })
const image = (source: object) => block('image', { source })
const user = (...content: readonly { type: string }[]) => ({ role: 'user' as const, content: [...content] })
const assistant = (...content: readonly { type: string }[]) => ({ role: 'assistant' as const, content: [...content] })
const call = (input: object = {}, id = 'toolu_1') => block('tool_use', { id, name: 'lookup', input })
const result = (content?: unknown, id = 'toolu_1') => block('tool_result', { tool_use_id: id, content })

const asked = (...words: readonly string[]) => ({
  type: 'message',
  role: 'user',
  content: words.map((word) => ({ type: 'input_text', text: word })),
})
const wrote = (words: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
})
const called = (json = '{}', call_id = 'toolu_1') => ({
  type: 'function_call',
  call_id,
  name: 'lookup',
  arguments: json,
})
const output = (words: unknown, call_id = 'toolu_1') => ({ type: 'function_call_output', call_id, output: words })
const longest = 'call:'.padEnd(64, 'x')
const note = '[An image stood here. It cannot be shown to this model.]'

const rows: Readonly<Record<string, readonly Row[]>> = {
  LiteLLM: [
    ['a string', [{ role: 'user', content: 'Hello' }], [asked('Hello')]],
    ['several texts', [user(text('First.'), text('Second.'))], [asked('First.', 'Second.')]],
    [
      'images',
      [
        user(
          text('?'),
          image({ type: 'base64', media_type: 'image/png', data: 'abc' }),
          image({ type: 'url', url: 'https://a.example/i.jpg' }),
        ),
      ],
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: '?' },
            { type: 'input_image', image_url: 'data:image/png;base64,abc' },
            { type: 'input_image', image_url: 'https://a.example/i.jpg' },
          ],
        },
      ],
    ],
    ['an image without data', [user(image({ type: 'base64', media_type: 'image/jpeg', data: '' }))], [asked(note)]],
    ['an image from elsewhere', [user(image({ type: 'file_path', path: '/tmp/i.png' }))], [asked(note)]],
    ['a result', [assistant(call()), user(result('42'))], [called(), output('42')]],
    [
      'a result of several texts',
      [assistant(call()), user(result([text('Line 1'), text('Line 2')]))],
      [called(), output('Line 1\nLine 2')],
    ],
    ['a result of nothing', [assistant(call()), user(result(null))], [called(), output('')]],
    [
      'a call with an id as long as OpenAI takes',
      [assistant(call({}, longest)), user(result('42', longest))],
      [called('{}', longest), output('42', longest)],
    ],
    ['what the model wrote', [{ role: 'assistant', content: 'I can.' }], [wrote('I can.')]],
    [
      'a thought without a signature',
      [assistant(block('thinking', { thinking: 'Step.' })), user(text('?'))],
      [asked('?')],
    ],
    ['an empty thought', [assistant(block('thinking', { thinking: '' })), user(text('?'))], [asked('?')]],
    [
      'a conversation',
      [
        { role: 'user', content: 'Weather?' },
        assistant(call({ city: 'NYC' })),
        user(result('Sunny')),
        { role: 'assistant', content: 'Sunny.' },
      ],
      [asked('Weather?'), called('{"city":"NYC"}'), output('Sunny'), wrote('Sunny.')],
    ],
  ],
  CLIProxyAPI: [
    [
      'a system message among the others',
      [{ role: 'user', content: 'hello' }, { role: 'system', content: 'Follow them' }, assistant(text('ok'))],
      [asked('hello', '<system-reminder>\nFollow them\n</system-reminder>'), wrote('ok')],
    ],
    [
      'a PDF',
      [
        user(
          text('before'),
          block('document', { source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0' } }),
          text('after'),
        ),
      ],
      [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'before' },
            { type: 'input_file', filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0' },
            { type: 'input_text', text: 'after' },
          ],
        },
      ],
    ],
    [
      'the order of texts, calls and results',
      [
        assistant(text('before'), call({ query: 'test' }), text('after')),
        user(result([text('output'), image({ media_type: 'image/png', data: 'aW1hZ2U=' })]), text('continue')),
      ],
      [
        wrote('before'),
        called('{"query":"test"}'),
        wrote('after'),
        output([
          { type: 'input_text', text: 'output' },
          { type: 'input_image', image_url: 'data:image/png;base64,aW1hZ2U=' },
        ]),
        asked('continue'),
      ],
    ],
    [
      'texts around a thought of another model',
      [assistant(text('one'), block('thinking', { thinking: 't', signature: 'Eo8C' }), text('two')), user(text('?'))],
      [wrote('one'), wrote('two'), asked('?')],
    ],
    [
      'a thought in a message of the user',
      [user(block('thinking', { thinking: 't', signature: 'gAAAA' }), text('hello'))],
      [asked('hello')],
    ],
  ],
}

for (const [peer, cases] of Object.entries(rows)) {
  test.each([...cases])(`${peer}: %s`, async (_name, messages, expected) => {
    expect(await sentBody.responses({ messages })).toMatchObject({ input: [...expected] })
  })
}

test('CLIProxyAPI: an id beyond 64 characters is a short one, the same in call and result', async () => {
  const id = `toolu_${'a'.repeat(62)}`
  const { input } = await sentBody.responses({ messages: [assistant(call({}, id)), user(result('ok', id))] })
  const ids = (input as { call_id: string }[]).map(({ call_id }) => call_id)
  expect(ids).toHaveLength(2)
  expect(ids[0]).toBe(ids[1])
  expect(ids[0]?.length).toBeLessThanOrEqual(64)
})
