import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MessagesServer, messagesServer, type Sent } from '../../packages/gateway/test/support/messages-server.ts'
import { type RunningSandbox, startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { type CspProcess, startCsp } from '../support/csp-process.ts'
import { claudeCodeEnvironment, realClaude, type ScratchHome, scratchHome } from '../support/real-claude.ts'

// Claude Code itself on the gateway: its model is a stand-in of another provider's, its searches are csp's.

let upstream: MessagesServer
let sandbox: RunningSandbox
let csp: CspProcess
let home: ScratchHome
beforeAll(async () => {
  upstream = messagesServer('succeed', modelOf)
  sandbox = await startSandbox()
  home = await scratchHome()
  csp = await startCsp({
    standInUrl: sandbox.url,
    environment: {
      OPENAI_BASE_URL: upstream.url,
      ANTHROPIC_DEFAULT_OPUS_MODEL: 'big',
      ANTHROPIC_DEFAULT_SONNET_MODEL: 'middle',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'small',
    },
  })
})
afterAll(async () => {
  await csp?.stop()
  await sandbox?.[Symbol.asyncDispose]()
  await upstream?.stop()
  await home?.[Symbol.asyncDispose]()
})

/** Calls the tool that the question names, once; then says what came of it. */
function modelOf(body: Sent): Response | undefined {
  const conversation = JSON.stringify(body['messages'] ?? [])
  const offered = JSON.stringify(body['tools'] ?? [])
  if (body['max_tokens'] === undefined || !offered.includes('"Read"')) return undefined
  if (conversation.includes('"tool_use_id":"toolu_1"'))
    return message(body, [{ type: 'text', text: resultIn(conversation) }])
  if (conversation.includes('search-for-seals')) {
    const load = { type: 'tool_use', id: 'toolu_load', name: 'ToolSearch', input: { query: 'select:WebSearch' } }
    const search = { type: 'tool_use', id: 'toolu_1', name: 'WebSearch', input: { query: 'harbour seals' } }
    // Claude Code offers this tool only when it was looked for.
    return message(body, [conversation.includes('toolu_load') ? search : load])
  }
  const [, path] = /read-the-file (\/[\w/.-]+)/.exec(conversation) ?? []
  if (path) return message(body, [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: path } }])
  return message(body, [{ type: 'text', text: `I am ${body['model']}.` }])
}

function resultIn(conversation: string): string {
  return `The tool gave: ${conversation.slice(conversation.lastIndexOf('"tool_result"'), -1).slice(0, 3000)}`
}

function message(body: Sent, content: readonly object[]): Response {
  const calls = content.some((block) => 'input' in block)
  return Response.json({
    id: 'msg_other',
    type: 'message',
    role: 'assistant',
    model: body['model'],
    content,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 5 },
  })
}

async function claude(model: string, prompt: string, ...flags: readonly string[]) {
  const folder = join(home.path, 'project')
  mkdirSync(folder, { recursive: true })
  const child = Bun.spawn([realClaude, '-p', '--model', model, ...flags, '--', prompt], {
    cwd: folder,
    env: claudeCodeEnvironment(csp.url, home.path),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { output, errors, code: await child.exited }
}

describe('Claude Code on an upstream that speaks the Messages API', () => {
  test.each([
    ['opus', 'big'],
    ['sonnet', 'middle'],
    ['haiku', 'small'],
  ])(
    'reaches the model behind %s',
    async (model, theirs) => {
      const { output, code } = await claude(model, 'who are you')
      expect({ output, code }).toEqual({ output: `I am ${theirs}.\n`, code: 0 })
    },
    60_000,
  )

  test('uses a tool of its own: it reads a file', async () => {
    const path = join(home.path, 'project-note.txt')
    writeFileSync(path, 'the walrus says 4711')
    const { output } = await claude('sonnet', `read-the-file ${path}`, '--allowedTools', 'Read')
    expect(output).toContain('the walrus says 4711')
  }, 60_000)

  test("searches the web: its WebSearch is csp's, and no model of the upstream sees that request", async () => {
    const before = upstream.requests.length
    const { output } = await claude('sonnet', 'search-for-seals', '--allowedTools', 'WebSearch')
    expect(output).toContain('Sandbox')
    expect(output).toContain('harbour seals')
    const sent = upstream.requests.slice(before).map(({ body }) => JSON.stringify(body['messages'] ?? ''))
    expect(sent.filter((text) => text.includes('Perform a web search'))).toEqual([])
  }, 60_000)
})
