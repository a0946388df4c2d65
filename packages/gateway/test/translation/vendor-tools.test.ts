import { expect, test } from 'bun:test'
import { foldMessage } from '@csp/messages-api/fold'
import type { MessagesRequest } from '@csp/messages-api/request'
import { chatUpstream } from '../../src/chat-completions/chat-completions.ts'
import { nativeUpstream } from '../../src/native/native.ts'
import { responsesUpstream } from '../../src/responses/responses.ts'
import { withServerTools } from '../../src/server-tools/server-tools.ts'
import type { Upstream } from '../../src/upstream.ts'

type Sent = Readonly<Record<string, unknown>>
type Tools = readonly { readonly type?: string; readonly name?: string; readonly [field: string]: unknown }[]

const replies: Readonly<Record<string, unknown>> = {
  chat: { choices: [{ index: 0, message: { content: 'ok' }, finish_reason: 'stop' }] },
  responses: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'ok' }] }] },
  native: {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn' },
    ...{ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 1, output_tokens: 1 } },
  },
}

/** An upstream that says what it was sent, and may refuse it. */
function upstreamOf(wire: string, refuse: (body: Sent) => string | undefined = () => undefined) {
  const sent: Sent[] = []
  const answer = async (_url: string | URL | Request, init?: RequestInit) => {
    const body = JSON.parse(String(init?.body))
    sent.push(body)
    const message = refuse(body)
    return message
      ? Response.json({ error: { type: 'invalid_request_error', message } }, { status: 400 })
      : Response.json(replies[wire])
  }
  const options = { name: 'up', baseUrl: 'http://up.example/v1', fetch: answer as never }
  const upstream: Upstream =
    wire === 'chat'
      ? chatUpstream({ ...options, kind: 'other' })
      : wire === 'responses'
        ? responsesUpstream(options)
        : nativeUpstream(options)
  return { sent, upstream }
}

function asking(fields: object): MessagesRequest {
  return { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], ...fields } as MessagesRequest
}

const context = { signal: new AbortController().signal }

const ofClient: Tools = [
  { type: 'bash_20250124', name: 'bash' },
  { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
  { type: 'memory_20250818', name: 'memory', cache_control: { type: 'ephemeral' } },
  { type: 'computer_20251124', name: 'computer', display_width_px: 1024, display_height_px: 768, enable_zoom: true },
]

interface SentTool {
  readonly name: string
  readonly description?: string
  readonly schema?: { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> }
}

function toolsIn(wire: string, { tools = [] }: Sent): readonly SentTool[] {
  return (tools as readonly Record<string, unknown>[]).map((tool) => {
    const told = (wire === 'chat' ? tool['function'] : tool) as Record<string, unknown>
    return { ...told, schema: told['parameters'] ?? told['input_schema'] } as unknown as SentTool
  })
}

test.each(['chat', 'responses'])('Tools that the client runs become functions with their fields (%s)', async (wire) => {
  const { sent, upstream } = upstreamOf(wire)
  await foldMessage(upstream.send(asking({ tools: [...ofClient, { name: 'own' }] }), context))
  const tools = toolsIn(wire, sent[0] ?? {})
  expect(tools.map(({ name }) => name)).toEqual(['bash', 'str_replace_based_edit_tool', 'memory', 'computer', 'own'])
  const [bash, editor, memory, computer] = tools
  expect(Object.keys(bash?.schema?.properties ?? {})).toEqual(['command', 'restart'])
  expect(editor?.schema?.properties['command']?.enum).toEqual(['view', 'create', 'str_replace', 'insert'])
  expect(Object.keys(editor?.schema?.properties ?? {})).toContain('insert_text')
  expect(memory?.schema?.properties['command']?.enum).toContain('rename')
  expect(computer?.description).toContain('1024 by 768')
  expect(computer?.schema?.properties['action']?.enum).toEqual(expect.arrayContaining(['left_click', 'scroll', 'zoom']))
})

test('An older tool has the commands that its client knows', async () => {
  const { sent, upstream } = upstreamOf('chat')
  const older = [
    { type: 'text_editor_20250124', name: 'str_replace_editor' },
    { type: 'computer_20241022', name: 'computer', display_width_px: 1, display_height_px: 1 },
  ]
  await foldMessage(upstream.send(asking({ tools: older }), context))
  const [editor, computer] = toolsIn('chat', sent[0] ?? {})
  expect(editor?.schema?.properties['command']?.enum).toContain('undo_edit')
  expect(Object.keys(editor?.schema?.properties ?? {})).not.toContain('insert_text')
  expect(computer?.schema?.properties['action']?.enum).not.toContain('scroll')
})

const ofVendor: readonly (readonly [string, object, string])[] = [
  [
    'code execution',
    { tools: [{ name: 'own' }, { type: 'code_execution_20260120', name: 'code_execution' }] },
    "tools.1: Input tag 'code_execution_20260120'",
  ],
  [
    'an advisor',
    { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' }] },
    "tools.0: Input tag 'advisor_20260301'",
  ],
  ['a set of tools', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }] }, "tools.0: Input tag 'mcp_toolset'"],
  ['MCP servers', { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] }, 'mcp_servers: '],
]

describeEach('chat')
describeEach('responses')
function describeEach(wire: string): void {
  test.each(ofVendor)(`${wire}: a request for %s is refused and not sent without`, async (_name, fields, message) => {
    const { sent, upstream } = upstreamOf(wire)
    const reply = foldMessage(upstream.send(asking(fields), context))
    await expect(reply).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) })
    expect(sent).toEqual([])
  })
}

test('A request without such things is not refused for what looks like them', async () => {
  const { sent, upstream } = upstreamOf('chat')
  const tools: Tools = [
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    // Alone it is what the caller asks for.
    { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-5' },
    { type: 'function', name: 'f', input_schema: { type: 'object' } },
  ]
  await foldMessage(upstream.send(asking({ tools, mcp_servers: [] }), context))
  expect(toolsIn('chat', sent[0] ?? {}).map(({ name }) => name)).toEqual(['f'])
})

test('They stay beside a search of csp, and are refused there too', async () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const unused = async () => ({ content: '', text: () => '', pages: [] })
  const runner = { search: unused, fetch: unused }
  const { sent, upstream } = upstreamOf('chat')
  await foldMessage(withServerTools(upstream, asking({ tools: [search, ...ofClient] }), context, runner))
  expect(toolsIn('chat', sent[0] ?? {}).map(({ name }) => name)).toContain('bash')
  const refused = asking({ tools: [search, { type: 'code_execution_20260120', name: 'code_execution' }] })
  await expect(foldMessage(withServerTools(upstream, refused, context, runner))).rejects.toMatchObject({ status: 400 })
})

test.each([
  'tools.0.input_schema: Field required',
  "tools.0: Input tag 'bash_20250124' found using 'type' does not match any of the expected tags: 'custom'",
  'unknown tool type: bash_20250124',
])('A native server gets them as they are, and as functions after: %s', async (message) => {
  const isTyped = ({ tools = [] }: Sent) => (tools as Tools).some(({ type }) => type !== undefined)
  const { sent, upstream } = upstreamOf('native', (body) => (isTyped(body) ? message : undefined))
  const tools = message.includes('tag') ? ofClient.slice(0, 1) : ofClient
  await foldMessage(upstream.send(asking({ tools }), context))
  expect(sent[0]?.['tools']).toEqual(tools)
  const told = toolsIn('native', sent[1] ?? {})
  expect(told.map(({ name }) => name)).toEqual(tools.map(({ name }) => name ?? ''))
  expect(Object.keys(told[0]?.schema?.properties ?? {})).toEqual(['command', 'restart'])
})

test.each([
  [
    { tools: [{ type: 'code_execution_20260120', name: 'code_execution' }] },
    "tools.0: Input tag 'code_execution_20260120' found using 'type' does not match any of the expected tags: 'custom'",
  ],
  [
    { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'm' }] },
    'mcp_servers: Extra inputs are not permitted',
  ],
])('What a native server refuses and nothing replaces is its error: %j', async (fields, message) => {
  const { sent, upstream } = upstreamOf('native', () => message)
  const reply = foldMessage(upstream.send(asking(fields), context))
  await expect(reply).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) })
  for (const body of sent) expect(body).toMatchObject(fields)
})
