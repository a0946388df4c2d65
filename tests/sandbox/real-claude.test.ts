import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { pagesAbout } from '../../packages/sandbox/src/replies/pages.ts'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { nativeSystemPrompt } from '../../src/executor/answer/prompt/native.ts'
import { scratchHome } from '../support/real-claude.ts'
import { connectToServe, observePrint, observeServe, startPrint } from './observe-cli.ts'

const now = () => new Date('2026-03-15T12:00:00Z')
const running = startSandbox({ now })
const home = await scratchHome()

afterEach(() => running.sandbox.reset())
afterAll(async () => {
  await running.stop()
  await home[Symbol.asyncDispose]()
})

describe('the real claude mcp serve on the sandbox', async () => {
  const client = await connectToServe(running.url, home.path)
  afterAll(() => client.close())

  test('makes one call for a search', async () => {
    const { isError, results } = await observeServe(client, { query: 'bun runtime' })
    expect(isError).toBe(false)
    expect(results).toEqual([8, expect.stringMatching(/^Sandbox answer: /)])
    expect(running.sandbox.requests().map(({ kind, headers }) => [kind, headers.auth])).toEqual([['search', 'bearer']])
  })

  test('passes the reply format on, and its lines back', async () => {
    const { results } = await observeServe(client, {
      query: 'bun runtime\n\nReply format: URL | YYYY-MM-DD | excerpt',
    })
    const [page] = pagesAbout({ query: 'bun runtime', count: 8, now: now() })
    expect(results?.[1]).toContain(`\n${page?.url} | ${page?.publishedAt ?? '?'} | ${page?.excerpt}\n`)
  })

  test('returns text before the search as a result of its own', async () => {
    running.sandbox.configure({ scenario: 'preamble', resultCount: 3 })
    const { results } = await observeServe(client, { query: 'bun runtime' })
    expect(results).toEqual([expect.stringMatching(/^Sandbox: /), 3, expect.stringMatching(/^Sandbox answer: /)])
  })

  test('passes domains on', async () => {
    const search = (domains: object) => observeServe(client, { query: 'bun runtime', ...domains })
    expect((await search({ allowed_domains: ['github.com'] })).results?.[0]).toBe(0)
    expect((await search({ blocked_domains: ['example.org'] })).results?.[0]).toBe(8)
    expect(running.sandbox.requests().map(({ body }) => body.tools?.[0])).toMatchObject([
      { allowed_domains: ['github.com'] },
      { blocked_domains: ['example.org'] },
    ])
  })

  test('returns to each of twenty parallel searches its own results', async () => {
    const queries = Array.from({ length: 20 }, (_, index) => `bun ${index}`)
    const found = await Promise.all(queries.map((query) => observeServe(client, { query })))
    expect(new Set(found.map(({ results }) => results?.[1])).size).toBe(20)
    expect(running.sandbox.stats()).toMatchObject({ calls: 20, open: 0 })
  })

  test('ends a cancelled call at the sandbox, and the next one works', async () => {
    running.sandbox.configure({ scenario: [{ scenario: 'hang', times: 1 }] })
    const cancelled = new AbortController()
    const call = client.callTool(
      { name: 'WebSearch', arguments: { query: 'bun' } },
      {
        signal: cancelled.signal,
      },
    )
    await running.sandbox.until(({ calls }) => calls === 1)
    cancelled.abort('no longer wanted')
    expect(await call.catch((error: Error) => error.message)).toContain('no longer wanted')
    await running.sandbox.until(({ open }) => open === 0)
    expect((await observeServe(client, { query: 'bun' })).isError).toBe(false)
  })
})

describe('the real claude -p on the sandbox', () => {
  test('makes one call with the server tool in its body, and passes rows and citations on', async () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }]
    const body = { tools, tool_choice: { type: 'auto' }, system: nativeSystemPrompt() }
    await using child = await startPrint(running.url, { CLAUDE_CODE_EXTRA_BODY: JSON.stringify(body) })
    const { exitCode, lines } = await child.finished
    expect([exitCode, running.sandbox.requests().map(({ kind }) => kind)]).toEqual([0, ['answer']])
    const streamed = lines.filter((line) => line.startsWith('{"type":"stream_event"')).join('\n')
    const [page] = pagesAbout({ query: 'What is new in Bun?', count: 8, now: now() })
    for (const part of [
      'server_tool_use',
      'web_search_tool_result',
      page?.url ?? '',
      'citations_delta',
      'text_delta',
    ]) {
      expect(streamed).toContain(part)
    }
  })

  test('makes three calls for an answer that ends with links to what was found', async () => {
    const { exitCode, result, rateLimit } = await observePrint(running.url)
    expect(exitCode).toBe(0)
    expect(running.sandbox.requests().map(({ kind }) => kind)).toEqual(['decide', 'search', 'write'])
    const [page] = pagesAbout({ query: 'What is new in Bun?', count: 8, now: now() })
    expect(result['result']).toStartWith('Sandbox answer: ')
    expect(result['result']).toContain(`](${page?.url})`)
    expect(rateLimit).toMatchObject({ status: 'allowed', rateLimitType: 'five_hour' })
  })

  test('reports a spent limit with the time when it ends', async () => {
    const limitResetsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
    running.sandbox.configure({ scenario: 'error-429', limitResetsAt })
    const { rateLimit } = await observePrint(running.url)
    expect(rateLimit).toMatchObject({
      status: 'rejected',
      rateLimitType: 'five_hour',
      resetsAt: limitResetsAt.getTime() / 1000,
    })
    expect(running.sandbox.stats().calls).toBe(1)
  })

  test('that is killed while the API hangs writes nothing more and closes its connection', async () => {
    running.sandbox.configure({ scenario: 'hang' })
    await using child = await startPrint(running.url)
    await running.sandbox.until(({ calls }) => calls === 1)
    child.kill()
    const { exitCode, lines } = await child.finished
    expect(exitCode).toBe(143)
    expect(lines.some((line) => line.includes('"type":"result"'))).toBe(false)
    await running.sandbox.until(({ open }) => open === 0)
  })
})
