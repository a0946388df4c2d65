import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { pagesAbout } from '../../src/sandbox/replies/pages.ts'
import { scratchHome } from '../support/real-claude.ts'
import { startSandbox } from '../support/sandbox.ts'
import { connectToServe, observePrint, observeServe, startPrint } from './observe-cli.ts'

const now = () => new Date('2026-03-15T12:00:00Z')
const running = startSandbox({ now })
const home = await scratchHome()

afterEach(() => running.sandbox.reset())
afterAll(async () => {
  await running.stop()
  await home[Symbol.asyncDispose]()
})

describe('claude mcp serve', async () => {
  const client = await connectToServe(running.url, home.path)
  afterAll(() => client.close())

  test('a search costs one call', async () => {
    const { isError, results } = await observeServe(client, { query: 'bun runtime' })
    expect(isError).toBe(false)
    expect(results).toEqual([8, expect.stringMatching(/^Sandbox answer: /)])
    expect(running.sandbox.requests().map(({ kind, headers }) => [kind, headers.auth])).toEqual([['search', 'bearer']])
  })

  test('the reply format gets through, and so do the lines', async () => {
    const { results } = await observeServe(client, {
      query: 'bun runtime\n\nReply format: URL | YYYY-MM-DD | excerpt',
    })
    const [page] = pagesAbout({ query: 'bun runtime', count: 8, now: now() })
    expect(results?.[1]).toContain(`\n${page?.url} | ${page?.publishedAt ?? '?'} | ${page?.excerpt}\n`)
  })

  test('text before the search is a result of its own', async () => {
    running.sandbox.configure({ scenario: 'preamble', resultCount: 3 })
    const { results } = await observeServe(client, { query: 'bun runtime' })
    expect(results).toEqual([expect.stringMatching(/^Sandbox: /), 3, expect.stringMatching(/^Sandbox answer: /)])
  })

  test('domains get through', async () => {
    const search = (domains: object) => observeServe(client, { query: 'bun runtime', ...domains })
    expect((await search({ allowed_domains: ['github.com'] })).results?.[0]).toBe(0)
    expect((await search({ blocked_domains: ['example.org'] })).results?.[0]).toBe(8)
    expect(running.sandbox.requests().map(({ body }) => body.tools?.[0])).toMatchObject([
      { allowed_domains: ['github.com'] },
      { blocked_domains: ['example.org'] },
    ])
  })

  test('twenty searches at once have their own results', async () => {
    const queries = Array.from({ length: 20 }, (_, index) => `bun ${index}`)
    const found = await Promise.all(queries.map((query) => observeServe(client, { query })))
    expect(new Set(found.map(({ results }) => results?.[1])).size).toBe(20)
    expect(running.sandbox.stats()).toMatchObject({ calls: 20, open: 0 })
  })

  test('a cancelled call lets go of the sandbox, and the next one works', async () => {
    running.sandbox.configure({ scenario: [{ scenario: 'hang', times: 1 }] })
    const cancelled = new AbortController()
    const call = client.callTool({ name: 'WebSearch', arguments: { query: 'bun' } }, undefined, {
      signal: cancelled.signal,
    })
    await running.sandbox.until(({ calls }) => calls === 1)
    cancelled.abort('no longer wanted')
    expect(await call.catch((error: Error) => error.message)).toContain('no longer wanted')
    await running.sandbox.until(({ open }) => open === 0)
    expect((await observeServe(client, { query: 'bun' })).isError).toBe(false)
  })
})

describe('claude -p', () => {
  test('an answer costs three calls, and ends with links to what was found', async () => {
    const { exitCode, result, rateLimit } = await observePrint(running.url)
    expect(exitCode).toBe(0)
    expect(running.sandbox.requests().map(({ kind }) => kind)).toEqual(['decide', 'search', 'write'])
    const [page] = pagesAbout({ query: 'What is new in Bun?', count: 8, now: now() })
    expect(result['result']).toStartWith('Sandbox answer: ')
    expect(result['result']).toContain(`](${page?.url})`)
    expect(rateLimit).toMatchObject({ status: 'allowed', rateLimitType: 'five_hour' })
  })

  test('a spent limit is told with the time when it ends', async () => {
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

  test('killed while the API hangs, it says no more and lets go of the sandbox', async () => {
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
