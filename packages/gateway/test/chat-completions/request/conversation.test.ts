import { describe, expect, test } from 'bun:test'
import { messagesRequest } from '@csp/messages-api/request'
import { UpstreamError } from '@csp/messages-api/upstream-error'
import type { ChatMessage } from '../../../src/chat-completions/request/chat.ts'
import { toChatMessages } from '../../../src/chat-completions/request/conversation.ts'
import type { ConversationOptions } from '../../../src/chat-completions/request/options.ts'
import { ToolNames } from '../../../src/translation/tool-names.ts'

type Messages = readonly { readonly role: string; readonly content: unknown }[]

const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const shownPng = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } } as const
const use = (id: string, input: unknown = { path: 'a' }) => ({ type: 'tool_use', id, name: 'read', input })
const result = (id: string, content: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
const call = (id: string, json: string, name = 'read') =>
  ({ id, type: 'function', function: { name, arguments: json } }) as const

test('a turn of the model that has thoughts alone is no message', () => {
  const thoughts = { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] }
  expect(convert([{ role: 'user', content: 'hi' }, thoughts])).toEqual([{ role: 'user', content: 'hi' }])
})

describe('The system prompt', () => {
  test('is one message, as a string or as blocks that are joined', () => {
    const messages = [{ role: 'user', content: 'hi' }]
    expect(convert(messages, { system: 'You are.' })[0]).toEqual({ role: 'system', content: 'You are.' })
    const system = [
      { type: 'text', text: 'You are.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be brief.' },
    ]
    expect(convert(messages, { system })[0]).toEqual({ role: 'system', content: 'You are.\n\nBe brief.' })
    expect(convert(messages)).toEqual([{ role: 'user', content: 'hi' }])
  })

  test('is what the user says first, for a model that takes no such role', () => {
    const options = { systemRole: false }
    expect(convert([{ role: 'user', content: 'hi' }], { system: 'You are.' }, options)).toEqual([
      { role: 'user', content: 'You are.\n\nhi' },
    ])
    const answered = [{ role: 'assistant', content: 'Hello.' }]
    expect(convert(answered, { system: 'You are.' }, options)).toEqual([
      { role: 'user', content: 'You are.' },
      { role: 'assistant', content: 'Hello.' },
    ])
    expect(convert([{ role: 'user', content: [png] }], { system: 'You are.' }, options)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'You are.' }, shownPng] },
    ])
  })

  test('stands also among the messages, and keeps its place there as a reminder', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'system', content: 'The date has changed.' },
      { role: 'assistant', content: 'Hello.' },
    ]
    expect(convert(messages)).toEqual([
      { role: 'user', content: 'hi\n<system-reminder>\nThe date has changed.\n</system-reminder>' },
      { role: 'assistant', content: 'Hello.' },
    ])
  })
})

describe('What the user says', () => {
  test('is one string where there is only text, and parts where there are images', () => {
    const texts = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b' },
    ]
    expect(convert([{ role: 'user', content: texts }])).toEqual([{ role: 'user', content: 'a\nb' }])
    const link = { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }
    expect(convert([{ role: 'user', content: [texts[0], png, link] }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          shownPng,
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
    ])
  })

  test('has a note in place of an image that the model does not take', () => {
    const [message] = convert(
      [{ role: 'user', content: [{ type: 'text', text: 'Look:' }, png] }],
      {},
      { images: false },
    )
    expect(message?.content).toBe('Look:\n[An image stood here. It cannot be shown to this model.]')
  })

  test('has documents as text, as files, or as a note', () => {
    const pdf = {
      type: 'document',
      title: 'a.pdf',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA' },
    }
    const plain = { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } }
    const inner = { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inner' }] } }
    const messages = [{ role: 'user', content: [pdf, plain, inner] }]
    const [asFile] = convert(messages, {}, { files: true })
    expect(asFile?.content).toEqual([
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
      { type: 'text', text: 'T\nwords' },
      { type: 'text', text: 'inner' },
    ])
    const found = { type: 'search_result', title: 'T', source: 's', content: [{ type: 'text', text: 'found' }] }
    const bare = { type: 'search_result', source: 's' }
    expect(convert([{ role: 'user', content: [found, bare] }])[0]?.content).toBe('T\ns\nfound\ns')
    const [asNote] = convert(messages)
    expect(asNote?.content).toBe('[A document stood here: a.pdf. It cannot be shown to this model.]\nT\nwords\ninner')
  })
})

describe('Calls of tools', () => {
  test('have their arguments as a string, also when they are empty', () => {
    const inputs = [{ path: 'a' }, {}, undefined, null]
    const ids = ['a', 'b', 'c', 'd']
    const blocks = inputs.map((input, index) => use(ids[index] ?? '', input === undefined ? null : input))
    const results = ids.map((id) => result(id, 'ok'))
    const [assistant] = convert([
      { role: 'assistant', content: blocks },
      { role: 'user', content: results },
    ])
    expect(assistant).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [call('a', '{"path":"a"}'), call('b', '{}'), call('c', '{}'), call('d', '{}')],
    })
  })

  test('have their results right behind them, in their order, before what the user says', () => {
    const messages = convert([
      { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, use('a'), use('b')] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'By the way: hurry.' },
          result('b', [
            { type: 'text', text: 'two' },
            { type: 'text', text: 'lines' },
          ]),
          result('a', 'one'),
          { type: 'text', text: 'Go on.' },
        ],
      },
    ])
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [call('a', '{"path":"a"}'), call('b', '{"path":"a"}')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two\nlines' },
      { role: 'user', content: 'By the way: hurry.\nGo on.' },
    ])
  })

  test('find their results in any of the user messages that follow in a row', () => {
    const messages = convert([
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [result('a', 'one')] },
      { role: 'user', content: [result('b', 'two')] },
      { role: 'user', content: 'And?' },
    ])
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user'])
  })

  test('keep the images of their results, behind them', () => {
    const messages = convert([
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a', [{ type: 'text', text: 'seen' }, png]), { type: 'text', text: 'Nice?' }] },
    ])
    expect(messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'seen' },
      {
        role: 'user',
        content: [{ type: 'text', text: '[From the result of a]' }, shownPng, { type: 'text', text: 'Nice?' }],
      },
    ])
  })

  test('say when their result is an error', () => {
    const messages = convert([
      { role: 'assistant', content: [use('a'), use('b')] },
      {
        role: 'user',
        content: [result('a', 'No such file.', { is_error: true }), result('b', 'Error: full', { is_error: true })],
      },
    ])
    expect(messages.slice(1).map(({ content }) => content)).toEqual(['Error: No such file.', 'Error: full'])
  })

  test('without a result get one, and results without a call are told', () => {
    const messages = convert([
      { role: 'user', content: [result('gone', 'old words')] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: 'Never mind.' },
    ])
    expect(messages).toEqual([
      { role: 'user', content: '[Result of an earlier tool call]\nold words' },
      { role: 'assistant', content: null, tool_calls: [call('a', '{"path":"a"}')] },
      { role: 'tool', tool_call_id: 'a', content: 'No result.' },
      { role: 'user', content: 'Never mind.' },
    ])
  })

  test('keep their own results when a provider gave the same id in two turns', () => {
    const messages = convert([
      { role: 'assistant', content: [use('call_0')] },
      { role: 'user', content: [result('call_0', 'first')] },
      { role: 'assistant', content: [use('call_0')] },
      { role: 'user', content: [result('call_0', 'second')] },
    ])
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['first', 'second'])
  })

  test('are told as text to a model that takes no tool messages', () => {
    const conversation = [
      { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, use('a')] },
      { role: 'user', content: [result('a', 'one'), { type: 'text', text: 'Go on.' }] },
      { role: 'assistant', content: 'Done.' },
    ]
    expect(convert(conversation, {}, { toolRole: false })).toEqual([
      { role: 'assistant', content: 'Let me look.\n[Called read with {"path":"a"}]' },
      { role: 'user', content: '[Result of read]\none' },
      { role: 'user', content: 'Go on.' },
      { role: 'assistant', content: 'Done.' },
    ])
  })
})

describe('Tools that the server of the vendor ran', () => {
  const search = [
    { type: 'text', text: 'I will search.' },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'seals' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 's1',
      content: [
        {
          type: 'web_search_result',
          title: 'Seals',
          url: 'https://a.example/',
          page_age: '2 days',
          encrypted_content: 'xx',
        },
        { type: 'web_search_result', title: 'More', url: 'https://b.example/', encrypted_content: 'yy' },
      ],
    },
    { type: 'text', text: 'Seals ', citations: null },
    { type: 'text', text: 'swim.', citations: [{ type: 'web_search_result_location', url: 'https://a.example/' }] },
  ]

  test('are plain calls and results to a model that never saw them', () => {
    expect(convert([{ role: 'assistant', content: search }])).toEqual([
      { role: 'assistant', content: 'I will search.', tool_calls: [call('s1', '{"query":"seals"}', 'web_search')] },
      { role: 'tool', tool_call_id: 's1', content: 'Seals\nhttps://a.example/\n2 days\n\nMore\nhttps://b.example/' },
      { role: 'assistant', content: 'Seals swim.' },
    ])
  })

  test('stand beside calls of the client in one turn, and no call is lost', () => {
    const messages = convert([
      { role: 'assistant', content: [use('a'), ...search.slice(1, 3), use('b')] },
      { role: 'user', content: [result('a', 'one'), result('b', 'two')] },
    ])
    expect(messages.map((each) => ('tool_call_id' in each ? each.tool_call_id : each.role))).toEqual([
      'assistant',
      'a',
      's1',
      'assistant',
      'b',
    ])
  })

  test('tell their errors and the pages that they fetched', () => {
    const pairs = [
      [{ type: 'web_search_tool_result_error', error_code: 'unavailable' }, 'Error: unavailable'],
      [[], 'No results.'],
      [
        {
          type: 'web_fetch_result',
          url: 'https://a.example/',
          content: { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
        },
        'https://a.example/\nwords',
      ],
    ] as const
    for (const [content, expected] of pairs) {
      const block = { type: 'web_search_tool_result', tool_use_id: 's1', content }
      expect(convert([{ role: 'assistant', content: [search[1], block] }])[1]?.content).toBe(expected)
    }
  })
})

describe('An earlier thought', () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'sig' }

  test('goes back in the field in which it came, and only where its signature is read', () => {
    const messages = [{ role: 'assistant', content: [thinking, { type: 'text', text: 'Yes.' }] }]
    const read = { readThought: (text: string) => ({ field: 'reasoning_content', text }) as const }
    expect(convert(messages, {}, read)).toEqual([{ role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' }])
    const details = [{ type: 'reasoning.encrypted', data: 'x' }]
    const readDetails = { readThought: () => ({ field: 'reasoning_details', details }) as const }
    expect(convert(messages, {}, readDetails)).toEqual([
      { role: 'assistant', content: 'Yes.', reasoning_details: details },
    ])
    expect(convert(messages)).toEqual([{ role: 'assistant', content: 'Yes.' }])
    expect(
      JSON.stringify(
        convert([
          { role: 'assistant', content: [thinking] },
          { role: 'user', content: 'x' },
        ]),
      ),
    ).not.toContain('Hm.')
  })
})

test('A longer conversation begins with the messages of a shorter one', () => {
  const conversation = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: [use('a')] },
    { role: 'user', content: [result('a', [png]), { type: 'text', text: 'Go on.' }] },
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'Thanks.' },
  ]
  for (const length of [1, 3, 5]) {
    const shorter = convert(conversation.slice(0, length), { system: 'S' })
    const longer = convert(conversation, { system: 'S' })
    expect(JSON.stringify(longer.slice(0, shorter.length))).toBe(JSON.stringify(shorter))
  }
})

test.each([
  [[{ role: 'user', content: [{ type: 'text', text: 5 }] }], 'messages.0.content.0.text'],
  [
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'f' }] },
    ],
    'messages.1.content.0.id',
  ],
  [[{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }], 'messages.0.content.0.tool_use_id'],
  [[{ role: 'user', content: [{ type: 'image', source: 5 }] }], 'messages.0.content.0.source'],
])('A block that is wrong is an error that names the field', (messages, path) => {
  const attempt = () => convert(messages)
  expect(attempt).toThrow(UpstreamError)
  expect(attempt).toThrow(path)
})

test('Blocks that nobody knows are left out', () => {
  expect(
    convert([
      {
        role: 'user',
        content: [
          { type: 'new', x: 1 },
          { type: 'text', text: 'a' },
        ],
      },
    ]),
  ).toEqual([{ role: 'user', content: 'a' }])
})

function convert(
  messages: Messages,
  more: object = {},
  options: Partial<ConversationOptions> = {},
): readonly ChatMessage[] {
  const request = messagesRequest.parse({ model: 'm', messages, ...more })
  return toChatMessages(request, {
    images: true,
    files: false,
    systemRole: true,
    toolRole: true,
    readThought: undefined,
    names: new ToolNames(),
    ...options,
  })
}
