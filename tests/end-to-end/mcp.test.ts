import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { eventually } from '@csp/testing/eventually'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { cspOnSandbox } from '../support/csp-on-sandbox.ts'
import { standInClaude } from '../support/quick-claude.ts'
import { claudeEnvironment, realClaude, scratchHome } from '../support/real-claude.ts'
import { launcher } from '../support/tested-program.ts'

// The MCP SDK's client and the real Claude Code CLI, unmodified, against csp as `npm start` runs it.

const { csp, standIn } = await cspOnSandbox(['--cache-ttl', '0'])

describe('the MCP SDK client', () => {
  async function connected(): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${csp.url}/mcp`))
    // The SDK's class says `sessionId: string | undefined` where its interface has an optional one.
    await client.connect(transport as Parameters<Client['connect']>[0])
    await client.listTools()
    return client
  }

  test('gets a list of pages', async () => {
    const client = await connected()
    const reply = await client.callTool({ name: 'web_search', arguments: { query: 'bees that hum', count: 4 } })
    await client.close()
    expect(reply.structuredContent).toMatchObject({
      results: [{ number: 1, url: expect.stringMatching(/^https?:/) }, { number: 2 }, { number: 3 }, { number: 4 }],
    })
  })

  test.each(['fast', 'standard', 'deep'])('gets a %s answer, with progress', async (effort) => {
    const client = await connected()
    const told: (string | undefined)[] = []
    const reply = await client.callTool(
      { name: 'ask_web', arguments: { question: 'Why do bees hum?', effort } },
      { onprogress: ({ message }) => told.push(message) },
    )
    await client.close()
    expect(reply.structuredContent).toMatchObject({
      answer: expect.stringContaining('Sandbox answer'),
      sources: expect.arrayContaining([expect.objectContaining({ cited: true })]),
    })
    expect(told).toContain('Writing the answer')
  })

  test('cancels a search, which is stopped on the CLI too', async () => {
    await standIn.sandbox.until(({ open }) => open === 0)
    standIn.sandbox.configure({ scenario: 'hang' })
    const client = await connected()
    const wish = new AbortController()
    const call = client.callTool(
      { name: 'web_search', arguments: { query: 'bees that hum' } },
      {
        signal: wish.signal,
      },
    )
    call.catch(() => {})
    await standIn.sandbox.until(({ open }) => open > 0)
    wish.abort('enough')
    await standIn.sandbox.until(({ open }) => open === 0)
    await client.close()
    await expect(call).rejects.toThrow('enough')
  })
})

/** What Claude Code said first, as the tools of this server were offered to it. */
async function claudeWith(server: object, home: string): Promise<unknown> {
  const config = JSON.stringify({ mcpServers: { csp: server } })
  const flags = ['--mcp-config', config, '--strict-mcp-config', '--output-format', 'stream-json', '--verbose']
  const child = Bun.spawn([realClaude, '-p', 'hello', ...flags], {
    env: claudeEnvironment(standIn.url, home),
    cwd: home,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [first = ''] = (await new Response(child.stdout).text()).split('\n')
  await child.exited
  return JSON.parse(first)
}

describe('Claude Code finds the tools, and speaks the version without sessions,', () => {
  const connected = {
    tools: expect.arrayContaining(['mcp__csp__web_search', 'mcp__csp__ask_web']),
    mcp_servers: [{ name: 'csp', status: 'connected' }],
  }

  test('by its URL', async () => {
    await using home = await scratchHome()
    const calls: (string | null)[][] = []
    await using between = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch({ method, headers, body }) {
        const reply = await fetch(`${csp.url}/mcp`, { method, headers, body })
        calls.push([headers.get('mcp-protocol-version'), headers.get('mcp-method'), `${reply.status}`])
        return reply
      },
    })
    expect(await claudeWith({ type: 'http', url: `${between.url}` }, home.path)).toMatchObject(connected)
    expect(calls).toContainEqual(['2026-07-28', 'tools/list', '200'])
    expect(calls.filter(([, method]) => method === 'initialize')).toEqual([])
  })

  test('on standard input and output', async () => {
    await using home = await scratchHome()
    const said = join(home.path, 'said')
    const env = { ...claudeEnvironment(standIn.url, csp.home), CSP_CLAUDE_BIN: standInClaude() }
    const args = ['-c', 'tee "$1" | node "$2" mcp', 'sh', said, launcher]
    // The CLI takes a server that starts slowly for an older one.
    await eventually(async () => {
      expect(await claudeWith({ command: 'sh', args, env }, home.path)).toMatchObject(connected)
      const text = await Bun.file(said).text()
      expect(text).toContain('server/discover')
      return !text.includes('"initialize"')
    }, 100_000)
  })
})
