import { describe, expect, test } from 'bun:test'
import { replayServerTools, sealExcerpt } from '../../src/server-tools/replay.ts'

const user = (content: string) => ({ role: 'user' as const, content })
const row = (url: string, excerpt: string) => ({
  type: 'web_search_result',
  url,
  title: 'A title',
  page_age: '2026-10-01',
  encrypted_content: sealExcerpt(excerpt),
})

test('an excerpt is sealed as far as a model reads it', () => {
  expect(sealExcerpt('x'.repeat(5000))).toBe(sealExcerpt('x'.repeat(2000)))
})

describe('a conversation with a search of an earlier turn', () => {
  test('is replayed as a call of a function with its result, then what the model said', () => {
    const request = {
      model: 'm',
      max_tokens: 1,
      messages: [
        user('seals?'),
        {
          role: 'assistant' as const,
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'seals' } },
            {
              type: 'web_search_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: [row('https://a.example/', 'They bark. 海豹')],
            },
            { type: 'text', text: 'They bark.', citations: [{ type: 'web_search_result_location' }] },
            { type: 'tool_use', id: 'toolu_2', name: 'note', input: {} },
          ],
        },
        { role: 'user' as const, content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'ok' }] },
      ],
    }
    expect(replayServerTools(request).messages).toEqual([
      user('seals?'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me look.' },
          { type: 'tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'seals' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'srvtoolu_1',
            content: '[1] A title (2026-10-01)\nhttps://a.example/\nThey bark. 海豹',
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'They bark.' },
          { type: 'tool_use', id: 'toolu_2', name: 'note', input: {} },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'ok' }] },
    ])
  })

  test.each([
    [{ type: 'web_search_tool_result_error', error_code: 'unavailable' }, 'Error: unavailable'],
    [[], 'Nothing was found.'],
    [
      [{ ...row('https://a.example/', ''), encrypted_content: 'of-the-vendor' }],
      '[1] A title (2026-10-01)\nhttps://a.example/',
    ],
    [
      [{ ...row('https://a.example/', ''), encrypted_content: 'csp1.%%%' }],
      '[1] A title (2026-10-01)\nhttps://a.example/',
    ],
    [{ odd: true }, '{"odd":true}'],
    [null, 'null'],
    ['', 'The result is no longer known.'],
  ])('is replayed whatever the result was: %j', (content, expected) => {
    const messages = [
      {
        role: 'assistant' as const,
        content: [
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content },
        ],
      },
    ]
    const replayed = replayServerTools({ model: 'm', messages }).messages
    expect(replayed[1]?.content).toEqual([{ type: 'tool_result', tool_use_id: 's', content: expected }])
  })

  test('leaves out a call that was cut before its result', () => {
    const content = [
      { type: 'text', text: 'Hm.' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    ]
    const { messages } = replayServerTools({ model: 'm', messages: [{ role: 'assistant', content }] })
    expect(messages).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] }])
  })

  test('keeps a block that cites nothing as it is', () => {
    const text = { type: 'text', text: 'Hm.' }
    const content = [text, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }]
    const [first] = replayServerTools({ model: 'm', messages: [{ role: 'assistant', content }] }).messages
    expect(first?.content[0]).toBe(text)
  })

  test('and one without any stays the same object', () => {
    const request = { model: 'm', messages: [user('hi'), { role: 'assistant' as const, content: 'hello' }] }
    expect(replayServerTools(request)).toBe(request)
  })
})

describe('a conversation', () => {
  const use = { type: 'server_tool_use', id: 'a', name: 'web_fetch' }
  const said = (...content: readonly object[]) => ({
    ...{ model: 'm', messages: [{ role: 'assistant' as const, content: content as { type: string }[] }] },
  })

  test('without a search of its own stays as it is', () => {
    const cited = said({ type: 'text', text: 'They bark.', citations: [{ type: 'char_location' }] })
    expect(replayServerTools(cited)).toBe(cited)
  })

  test.each([
    [
      { type: 'web_fetch_result', url: 'https://a.example/', content: { source: { data: 'Bees.' } } },
      'https://a.example/\n\nBees.',
    ],
    [{ type: 'web_fetch_tool_result_error', error_code: 'unavailable' }, 'Error: unavailable'],
    [[], 'Nothing was found.'],
    ['odd', 'odd'],
    [{ type: 'advisor_result', text: 'Use a lock.' }, 'Use a lock.'],
    [{ type: 'bash_code_execution_result', stdout: '42', stderr: 'warm', return_code: 0, content: [] }, '42\nwarm'],
    [{ type: 'text_editor_code_execution_view_result', content: 'line 1', num_lines: 1 }, 'line 1'],
    [
      { type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: 'Cron' }] },
      'Cron',
    ],
    [
      {
        type: 'web_fetch_result',
        url: 'https://a.example/x.pdf',
        content: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' } },
      },
      'https://a.example/x.pdf',
    ],
  ])('whose tool brought %j has it as %j, and nothing behind it', (content, text) => {
    const odd = { type: 'odd', tool_use_id: 'a' }
    expect<unknown>(
      replayServerTools(said(odd, use, { type: 'x_tool_result', tool_use_id: 'a', content })).messages,
    ).toEqual([
      { role: 'assistant', content: [odd, { type: 'tool_use', id: 'a', name: 'web_fetch', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: text }] },
    ])
  })
})
