import { expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { sentBody } from '../support/sent-body.ts'

// What other adapters of the Messages API check of conversations, as facts: a conversation in, chat messages out. Where csp
// decides otherwise, docs/gateway.md says why.

type Messages = MessagesRequest['messages']
type Row = readonly [name: string, messages: Messages, expected: readonly object[]]

const png = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
const image = (source: object) => ({ type: 'image', source })
const imageUrl = (url: string) => ({ type: 'image_url', image_url: { url } })
const text = (words: string) => ({ type: 'text', text: words })
const user = (...content: readonly { type: string }[]) => ({ role: 'user' as const, content: [...content] })
const assistant = (...content: readonly { type: string }[]) => ({ role: 'assistant' as const, content: [...content] })
const said = (content: string) => ({ role: 'user' as const, content })
const call = (id = 'call_1', name = 'read', input: unknown = { a: 1 }) => ({ type: 'tool_use', id, name, input })
const result = (content?: unknown, id = 'call_1') => ({ type: 'tool_result', tool_use_id: id, content })
const thought = (thinking: string, signature?: string) => ({ type: 'thinking', thinking, signature })
const called = (id = 'call_1', name = 'read', json = '{"a":1}') => ({
  id,
  type: 'function',
  function: { name, arguments: json },
})
const toolTurn = (content: string | null = null, ...calls: readonly object[]) => ({
  role: 'assistant',
  content,
  tool_calls: calls.length > 0 ? calls : [called()],
})
const tool = (content: string, id = 'call_1') => ({ role: 'tool', tool_call_id: id, content })

const rows: Readonly<Record<string, readonly Row[]>> = {
  Ollama: [
    ['a text', [user(text('Hello'))], [said('Hello')]],
    [
      'a text and an image',
      [user(text('What is this?'), image(png))],
      [{ role: 'user', content: [text('What is this?'), imageUrl('data:image/png;base64,AAAA')] }],
    ],
    ['a call without a result', [said('?'), assistant(call())], [said('?'), toolTurn(), tool('No result.')]],
    [
      'a result, and what the user says with it',
      [assistant(call()), user(result('311 KB'), text('Describe it.'))],
      [toolTurn(), tool('311 KB'), said('Describe it.')],
    ],
    [
      'a result without its call, which providers refuse as one',
      [user(result('sunny'))],
      [said('[Result of an earlier tool call]\nsunny')],
    ],
    ['a thought that another model had', [said('Hello'), assistant(thought('Let me think.'))], [said('Hello')]],
    [
      'a search of the server',
      [
        said('q'),
        assistant(
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'q' } } as never,
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srvtoolu_1',
            content: [{ type: 'web_search_result', title: 'T', url: 'https://a.example/' }],
          } as never,
        ),
        said('and?'),
      ],
      [
        said('q'),
        toolTurn(null, called('srvtoolu_1', 'web_search', '{"query":"q"}')),
        tool('T\nhttps://a.example/', 'srvtoolu_1'),
        said('and?'),
      ],
    ],
    [
      'a search that found nothing',
      [
        assistant(
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } as never,
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: [],
          } as never,
        ),
      ],
      [toolTurn(null, called('s', 'web_search', '{}')), tool('No results.', 's')],
    ],
    [
      'a search that failed',
      [
        assistant(
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } as never,
          {
            type: 'web_search_tool_result',
            tool_use_id: 's',
            content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
          } as never,
        ),
      ],
      [toolTurn(null, called('s', 'web_search', '{}')), tool('Error: max_uses_exceeded', 's')],
    ],
  ],
  vLLM: [
    [
      'an image at an address',
      [user(text('?'), image({ type: 'url', url: 'https://a.example/cat.png' }))],
      [{ role: 'user', content: [text('?'), imageUrl('https://a.example/cat.png')] }],
    ],
    [
      'an image whose source names no type',
      [user(image({ media_type: 'image/webp', data: 'UklGR' }))],
      [{ role: 'user', content: [imageUrl('data:image/webp;base64,UklGR')] }],
    ],
    [
      'an image without an address',
      [user(image({ type: 'url' }))],
      [said('[An image stood here. It cannot be shown to this model.]')],
    ],
    ['a result that is a string', [assistant(call()), user(result('words'))], [toolTurn(), tool('words')]],
    [
      'a result of several texts',
      [assistant(call()), user(result([text('line 1'), text('line 2')]))],
      [toolTurn(), tool('line 1\nline 2')],
    ],
    ['a result of nothing', [assistant(call()), user(result(null))], [toolTurn(), tool('')]],
    [
      'a result with a text and images',
      [
        assistant(call()),
        user(result([text('shot'), image(png), image({ type: 'url', url: 'https://a.example/2.jpg' })])),
      ],
      [
        toolTurn(),
        tool('shot'),
        {
          role: 'user',
          content: [
            text('[From the result of call_1]'),
            imageUrl('data:image/png;base64,AAAA'),
            imageUrl('https://a.example/2.jpg'),
          ],
        },
      ],
    ],
    [
      'a thought with a call',
      [said('2+2?'), assistant(thought('Calculate.', 'sig'), call()), user(result('4'))],
      [said('2+2?'), toolTurn(), tool('4')],
    ],
    [
      'a hidden thought',
      [said('Hello'), assistant({ type: 'redacted_thinking', data: 'x' } as never, text('Hi!')), said('Go on.')],
      [said('Hello'), { role: 'assistant', content: 'Hi!' }, said('Go on.')],
    ],
    [
      'a system message that is the billing line alone',
      [
        said('Hello'),
        { role: 'system', content: 'x-anthropic-billing-header: cc_version=2.1.160' },
        { role: 'assistant', content: 'Hi' },
      ],
      [said('Hello'), { role: 'assistant', content: 'Hi' }],
    ],
    [
      'a system message with the billing line and a text',
      [
        said('Hello'),
        {
          role: 'system',
          content: [text('x-anthropic-billing-header: cc_version=2.1.160; cch=d1d48;'), text('Be concise.')],
        },
      ],
      [said('Hello\n<system-reminder>\nBe concise.\n</system-reminder>')],
    ],
  ],
  LiteLLM: [
    [
      'texts and images in their order',
      [user(text('one'), image(png), text('two'), image({ type: 'url', url: 'https://a.example/2.jpg' }), text('?'))],
      [
        {
          role: 'user',
          content: [
            text('one'),
            imageUrl('data:image/png;base64,AAAA'),
            text('two'),
            imageUrl('https://a.example/2.jpg'),
            text('?'),
          ],
        },
      ],
    ],
    [
      'a result of a text, an image and a text is one message',
      [assistant(call()), user(result([text('Here:'), image(png), text('Done.')]))],
      [
        toolTurn(),
        tool('Here:\nDone.'),
        { role: 'user', content: [text('[From the result of call_1]'), imageUrl('data:image/png;base64,AAAA')] },
      ],
    ],
    [
      'what is marked for the cache, which only the Messages API has',
      [user({ ...text('long'), cache_control: { type: 'ephemeral' } } as never)],
      [said('long')],
    ],
    [
      'an image without data',
      [user(image({ type: 'base64', media_type: 'image/jpeg', data: '' }), text('?'))],
      [said('[An image stood here. It cannot be shown to this model.]\n?')],
    ],
    [
      'an image from a place that csp does not know',
      [user(image({ type: 'file_path', path: '/tmp/img.png' }))],
      [said('[An image stood here. It cannot be shown to this model.]')],
    ],
    ['an empty thought', [assistant(thought('')), said('?')], [said('?')]],
    [
      'two calls with their results in the other order',
      [assistant(call('a'), call('b')), user(result('B', 'b'), result('A', 'a'))],
      [toolTurn(null, called('a'), called('b')), tool('A', 'a'), tool('B', 'b')],
    ],
  ],
  CLIProxyAPI: [
    [
      'a thought without a signature',
      [assistant(thought('Step by step.'), text('Here.'))],
      [{ role: 'assistant', content: 'Here.' }],
    ],
    [
      'a thought with a signature of Claude',
      [assistant(thought('Step by step.', 'claude#EjQ='), text('Here.'))],
      [{ role: 'assistant', content: 'Here.' }],
    ],
    [
      'a message of nothing but a thought',
      [said('2+2?'), assistant(thought('4')), said('Thanks')],
      [said('2+2?'), said('Thanks')],
    ],
    ['a thought that stands in a message of the user', [user(thought('Injected'), text('Hi.'))], [said('Hi.')]],
    [
      'system messages among the others',
      [
        said('Hello'),
        { role: 'system', content: 'One rule' },
        { role: 'assistant', content: 'Hi' },
        { role: 'system', content: [text('Another rule')] },
        said('Follow up'),
      ],
      [
        said('Hello\n<system-reminder>\nOne rule\n</system-reminder>'),
        { role: 'assistant', content: 'Hi' },
        said('<system-reminder>\nAnother rule\n</system-reminder>\nFollow up'),
      ],
    ],
    [
      'texts before and behind a result',
      [assistant(call()), user(text('before'), result([text('ok')]), text('after'))],
      [toolTurn(), tool('ok'), said('before\nafter')],
    ],
    [
      'texts before and behind a call',
      [assistant(text('pre'), call(), text('post')), user(result('ok'))],
      [toolTurn('pre\n\npost'), tool('ok')],
    ],
    [
      'texts before and behind a thought that does not go on',
      [assistant(text('pre'), thought('hm'), text('post')), said('?')],
      [{ role: 'assistant', content: 'pre\n\npost' }, said('?')],
    ],
    [
      'texts with a call and a thought between them',
      [assistant(thought('t1'), text('pre'), call(), thought('t2'), text('post')), user(result('ok'))],
      [toolTurn('pre\n\npost'), tool('ok')],
    ],
  ],
  'llama.cpp': [
    ['several texts', [user(text('What is'), text('the answer?'))], [said('What is\nthe answer?')]],
    [
      'a conversation',
      [said('Hello'), { role: 'assistant', content: 'Hi!' }, said('How are you?')],
      [said('Hello'), { role: 'assistant', content: 'Hi!' }, said('How are you?')],
    ],
    [
      'a result that is an error',
      [assistant(call()), user({ ...result('City not found'), is_error: true } as never)],
      [toolTurn(), tool('Error: City not found')],
    ],
    [
      'a text in front of a result',
      [assistant(call()), user(text('Here are the results:'), result('Sunny'))],
      [toolTurn(), tool('Sunny'), said('Here are the results:')],
    ],
  ],
}

for (const [peer, cases] of Object.entries(rows)) {
  test.each([...cases])(`${peer}: %s`, async (_name, messages, expected) => {
    expect(await sentBody.chat({ messages })).toMatchObject({ messages: [...expected] })
  })
}

test.each([
  ['Ollama: a call without an id', [assistant({ type: 'tool_use', name: 'read' } as never)], 'messages.0.content.0.id'],
  ['Ollama: a call without a name', [assistant({ type: 'tool_use', id: 'a' } as never)], 'messages.0.content.0.name'],
  ['LiteLLM: a call with an empty name', [assistant(call('a', ''))], 'messages.0.content.0.name'],
  [
    'CLIProxyAPI: a result that is an object',
    [assistant(call()), user(result({ foo: 'bar' }))],
    'messages.1.content.0.content',
  ],
])('%s is refused, as by the vendor, and the field is named', async (_name, messages, path) => {
  await expect(refusalOf(messages)).resolves.toMatchObject({ status: 400, message: expect.stringContaining(path) })
})

async function refusalOf(messages: Messages): Promise<unknown> {
  const { chatUpstream } = await import('../../src/chat-completions/chat-completions.ts')
  const upstream = chatUpstream({ name: 'x', baseUrl: 'http://provider.example/v1', kind: 'other' })
  const events = upstream.send({ model: 'm', messages }, { signal: new AbortController().signal })
  return events[Symbol.asyncIterator]()
    .next()
    .catch((error) => error)
}
