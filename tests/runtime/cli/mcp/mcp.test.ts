import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startSandbox } from '../../../../packages/sandbox/test/support/sandbox.ts'
import { openSite, type Site } from '../../../page-reader/local/site.ts'
import { standInClaude } from '../../../support/quick-claude.ts'
import { claudeEnvironment, type ScratchHome, scratchHome } from '../../../support/real-claude.ts'
import { launcher } from '../../../support/tested-program.ts'

let home: ScratchHome
beforeAll(async () => {
  home = await scratchHome()
})
afterAll(() => home[Symbol.asyncDispose]())

function environment(sandboxUrl: string): Record<string, string> {
  return { ...claudeEnvironment(sandboxUrl, home.path), CSP_CLAUDE_BIN: standInClaude(), CSP_CACHE_TTL: '0' }
}

/** Starts `csp mcp` as a client does. */
async function connect(sandboxUrl: string, more: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: 'node',
      args: [launcher, 'mcp'],
      env: { ...environment(sandboxUrl), ...more },
      cwd: home.path,
      stderr: 'pipe',
    }),
  )
  return client
}

describe('csp mcp, called by the MCP SDK client,', () => {
  const sandbox = startSandbox()
  let site: Site
  let client: Client
  // One csp for what its tools can do.
  beforeAll(async () => {
    site = await openSite({
      '/bees': `<html><head><title>Bees</title></head><body><p>${'Bees hum, and make honey. '.repeat(20)}</p></body></html>`,
    })
    client = await connect(sandbox.url, { CSP_PAGES_ALLOW: `127.0.0.1:${site.port}`, CSP_SEARCH_MODEL: 'sonnet' })
  })
  afterAll(async () => {
    await client.close()
    await site[Symbol.asyncDispose]()
    await sandbox.stop()
  })

  test('serves its tools', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['web_search', 'ask_web', 'fetch_page', 'check_claim', 'recall'])
    const found = await client.callTool({ name: 'web_search', arguments: { query: 'harbour seals', count: 3 } })
    expect(found.structuredContent).toMatchObject({
      results: [{ number: 1, url: expect.stringMatching(/^https?:/) }, { number: 2 }, { number: 3 }],
    })
    const answer = await client.callTool({ name: 'ask_web', arguments: { question: 'why do tides differ?' } })
    expect(answer.structuredContent).toMatchObject({ answer: expect.stringContaining('Sandbox answer') })
  })

  test('reads a page, and refuses one of this machine that is not allowed', async () => {
    const url = `http://127.0.0.1:${site.port}/bees`
    const page = await client.callTool({ name: 'fetch_page', arguments: { url, max_characters: 200 } })
    expect(page.structuredContent).toMatchObject({ url, title: 'Bees', content: expect.stringContaining('make honey') })
    const refused = await client.callTool({ name: 'fetch_page', arguments: { url: 'http://127.0.0.1:1/' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/./) }] })
  })

  test('stops a cancelled search and serves the next one', async () => {
    sandbox.sandbox.configure({ scenario: [{ scenario: 'hang', kind: 'search', times: 1 }] })
    const wish = new AbortController()
    const call = client.callTool(
      { name: 'web_search', arguments: { query: 'harbour seals' } },
      {
        signal: wish.signal,
      },
    )
    call.catch(() => {})
    await sandbox.sandbox.until(({ open }) => open > 0)
    wish.abort('enough')
    await expect(call).rejects.toThrow('enough')
    await sandbox.sandbox.until(({ open }) => open === 0)
    const found = await client.callTool({ name: 'web_search', arguments: { query: 'grey seals' } })
    expect(found.isError).toBeFalsy()
  })

  test('offers no tool for pages where none may be read', async () => {
    const bare = await connect(sandbox.url, { CSP_PAGES: 'off' })
    expect((await bare.listTools()).tools.map(({ name }) => name)).toEqual(['web_search', 'ask_web', 'recall'])
    await bare.close()
  })

  test('reports a failure with what to do', async () => {
    const signedOut = await connect('http://127.0.0.1:9', { CLAUDE_CODE_OAUTH_TOKEN: '' })
    const reply = await signedOut.callTool({ name: 'web_search', arguments: { query: 'basking sharks' } })
    await signedOut.close()
    expect(reply).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('csp login') }],
    })
  })
})

describe('the process of csp mcp', () => {
  async function start(scratch: string) {
    await mkdir(scratch)
    await using sandbox = startSandbox()
    const child = Bun.spawn(['node', launcher, 'mcp', '--log-level', 'debug'], {
      env: { ...environment(sandbox.url), TMPDIR: scratch },
      cwd: home.path,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\nno JSON\n')
    const reader = child.stdout.getReader()
    const { value } = await reader.read()
    return { child, reader, first: new TextDecoder().decode(value) }
  }

  /** Sends lines, and returns as many replies, in the order of their ids. */
  async function repliesTo(sandbox: { readonly url: string }, messages: readonly object[]) {
    const child = Bun.spawn(['node', launcher, 'mcp'], {
      env: environment(sandbox.url),
      cwd: home.path,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const replies: { id: number }[] = []
    let text = ''
    for await (const part of child.stdout) {
      text += Buffer.from(part).toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      replies.push(...lines.map((line) => JSON.parse(line)))
      if (replies.length === messages.length) break
    }
    child.stdin.end()
    expect(await child.exited).toBe(0)
    return replies.toSorted((a, b) => a.id - b.id)
  }

  test('speaks the version of the first message: that without sessions', async () => {
    await using sandbox = startSandbox()
    const stateless = (id: number, method: string, version: string, params: object = {}) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      return { id, method, params: { ...params, _meta } }
    }
    const replies = await repliesTo(sandbox, [
      stateless(1, 'server/discover', '2026-07-28'),
      stateless(2, 'tools/list', '2031-01-01'),
      stateless(3, 'ping', '2026-07-28'),
      stateless(4, 'subscriptions/listen', '2026-07-28', { notifications: {} }),
      stateless(5, 'tools/call', '2026-07-28', { name: 'web_search', arguments: { query: 'harbour seals' } }),
    ])
    expect(replies).toMatchObject([
      { result: { resultType: 'complete', supportedVersions: ['2026-07-28'] } },
      { error: { code: -32022, data: { requested: '2031-01-01' } } },
      { error: { code: -32601 } },
      { error: { code: -32603 } },
      { result: { resultType: 'complete', structuredContent: { query: 'harbour seals' } } },
    ])
  })

  test('speaks the version of the first message: an older one', async () => {
    await using sandbox = startSandbox()
    const replies = await repliesTo(sandbox, [
      { id: 1, method: 'ping' },
      { id: 2, method: 'tools/call', params: { name: 'web_search', arguments: { query: 'harbour seals' } } },
      { id: 3, method: 'server/discover' },
    ])
    expect(replies).toMatchObject([
      { result: {} },
      { result: { structuredContent: { query: 'harbour seals' } } },
      { error: { code: -32601 } },
    ])
  })

  test.each([
    ['the end of its input', (child: Bun.Subprocess<'pipe', 'pipe', 'ignore'>) => child.stdin.end()],
    ['SIGTERM', (child: Bun.Subprocess<'pipe', 'pipe', 'ignore'>) => child.kill('SIGTERM')],
  ])('ends at %s, has written only JSON-RPC, and leaves nothing', async (name, end) => {
    const scratch = join(home.path, name)
    const { child, reader, first } = await start(scratch)
    expect(JSON.parse(first)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    await end(child)
    expect(await child.exited).toBe(0)
    expect((await reader.read()).done).toBe(true)
    // The CLI has folders of its own there, which it shares with every other, and csp the empty one that the CLI runs in.
    const ours = readdirSync(scratch, { recursive: true }).filter((file) => String(file).startsWith('csp-'))
    const own = `csp-${process.getuid?.() ?? 'user'}`
    expect(ours.map(String).toSorted()).toEqual([own, join(own, 'work')])
  })
})
