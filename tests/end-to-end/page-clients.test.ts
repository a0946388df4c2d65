import { afterAll, describe, expect, test } from 'bun:test'
import Anthropic from '@anthropic-ai/sdk'
import { eventually } from '@csp/testing/eventually'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { tavily } from '@tavily/core'
import { Exa } from 'exa-js'
import { Firecrawl, SdkError } from 'firecrawl'
import { startSandbox } from '../../packages/sandbox/test/support/sandbox.ts'
import { startCsp } from '../support/csp-process.ts'
import { startPageSite } from '../support/page-site.ts'

// csp as `npm start` runs it reads a loopback site for vendors' own clients; its searches find the same site.

const site = startPageSite()
const standIn = startSandbox({ resultCount: 2, sites: [site.origin] })
const allow = ['--rate', '0', '--pages-allow', `127.0.0.1:${site.port}`]
const csp = await startCsp({ standInUrl: standIn.url, flags: allow })

afterAll(async () => {
  await csp.stop()
  await Promise.all([standIn.stop(), site.stop()])
})

const seals = `${site.origin}/seals`
const closed = 'http://127.0.0.1/'
const text = /Harbour seals rest on the sandbank of .* at low tide/

describe('the pages of a running csp', () => {
  test('reach @tavily/core by extract(), and one that is not allowed fails alone', async () => {
    const client = tavily({ apiKey: 'local', apiBaseURL: `${csp.url}/tavily` })
    const { results, failedResults } = await client.extract([seals, closed, 'file:///etc/passwd'])
    expect(results[0]?.rawContent).not.toContain('All rights reserved')
    expect(results).toMatchObject([{ url: seals, title: 'An article', rawContent: expect.stringMatching(text) }])
    expect(failedResults.map(({ url }) => url)).toEqual([closed, 'file:///etc/passwd'])
  })

  test('reach @tavily/core by the raw content of a search', async () => {
    const client = tavily({ apiKey: 'local', apiBaseURL: `${csp.url}/tavily` })
    const search = () => client.search('where harbour seals rest', { includeRawContent: 'text' })
    // On a busy machine a page may come too late for the first list; the next equal one has it.
    await eventually(async () => (await search()).results.every(({ rawContent }) => rawContent))
    const { results } = await search()
    expect(results).toHaveLength(2)
    for (const { rawContent } of results) expect(rawContent).toMatch(text)
  })

  test('reach exa-js by getContents(), with their date and their highlights', async () => {
    const client = new Exa('local', `${csp.url}/exa`)
    const highlights = { query: 'how long do seals dive' }
    const { results, statuses } = await client.getContents([seals, closed], { text: true, highlights })
    expect(results).toMatchObject([{ url: seals, publishedDate: '2026-03-04T00:00:00.000Z' }])
    expect(results[0]?.text).toMatch(text)
    expect(results[0]?.highlights.join(' ')).toContain('They dive for ten minutes.')
    expect(statuses?.map(({ status }) => status)).toEqual(['success', 'error'])
  })

  test('reach firecrawl by scrape(), with their links, and its own error where they cannot be read', async () => {
    const client = new Firecrawl({ apiKey: 'local', apiUrl: `${csp.url}/firecrawl`, maxRetries: 1 })
    const page = await client.scrape(seals, { formats: ['markdown', 'html', 'links'] })
    expect(page).toMatchObject({ metadata: { title: 'An article', language: 'en', statusCode: 200, sourceURL: seals } })
    expect(page.markdown).toMatch(text)
    expect(page.html).toContain('<p>')
    expect(page.links).toContain(`${site.origin}/more/0`)
    const refused = await client.scrape(closed).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SdkError)
    expect(refused).toMatchObject({ status: 403 })
  })

  test('reach an MCP client by fetch_page, part by part', async () => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${csp.url}/mcp`))
    // The SDK's class says `sessionId: string | undefined` where its interface has an optional one.
    await client.connect(transport as Parameters<Client['connect']>[0])
    const first = await client.callTool({ name: 'fetch_page', arguments: { url: seals, max_characters: 300 } })
    const { remaining, content } = first.structuredContent as { remaining: number; content: string }
    expect(remaining).toBeGreaterThan(0)
    const rest = await client.callTool({ name: 'fetch_page', arguments: { url: seals, offset: content.length } })
    expect(rest.structuredContent).toMatchObject({ remaining: 0, content: expect.stringMatching(text) })
    await client.close()
  })

  test('reach @anthropic-ai/sdk by the server tool web_fetch, and the model between the tags of a turn', async () => {
    const client = new Anthropic({ apiKey: 'local', authToken: null, baseURL: csp.url, maxRetries: 0 })
    const { content } = await client.messages.create({
      model: 'sonnet',
      max_tokens: 1024,
      messages: [{ role: 'user', content: `Where do the seals of ${seals} rest?` }],
      tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }],
    })
    expect(content.map(({ type }) => type)).toEqual(['server_tool_use', 'web_fetch_tool_result', 'text'])
    expect(content[1]).toMatchObject({ content: { type: 'web_fetch_result', url: seals } })
    const prompt = JSON.stringify(standIn.sandbox.requests().at(-1)?.body)
    expect(prompt).toMatch(/<assistant-turn>.*Harbour seals rest.*<\/assistant-turn>.*<question>/)
  })

  test('reach Open WebUI and a reader of Markdown', async () => {
    const body = JSON.stringify({ urls: [seals, closed] })
    const loaded = await fetch(`${csp.url}/open-webui/loader`, { method: 'POST', body })
    expect(await loaded.json()).toMatchObject([
      { page_content: expect.stringMatching(text), metadata: { source: seals } },
    ])
    const read = await fetch(`${csp.url}/r/${seals}?tide=low`)
    expect(await read.text()).toMatch(/^Title: An article\n\nURL Source: .*\?tide=low\n\nPublished Time: 2026-03-04\n/)
    expect(site.asked).toContain('/seals?tide=low')
  })
})

// Each is an error in words, within the time of a page, and the good page still comes.
test.each([
  ['', 'invalid_url'],
  ['not an address', 'invalid_url'],
  ['file:///etc/passwd', 'invalid_url'],
  ['javascript:alert(1)', 'invalid_url'],
  ['http://localhost/', 'not_allowed'],
  ['http://2130706433/', 'not_allowed'],
  ['http://[::ffff:127.0.0.1]/', 'not_allowed'],
  [closed, 'not_allowed'],
  ['http://127.0.0.1:1/', 'invalid_url'],
  ['http://169.254.169.254/latest/meta-data', 'not_allowed'],
])('the address %j in a list fails alone, with the code %s', async (url, code) => {
  const body = JSON.stringify({ urls: [url, seals] })
  const response = await fetch(`${csp.url}/v1/extract`, { method: 'POST', body })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    results: [{ url: seals, content: expect.stringMatching(text) }],
    failed: [{ url, code, message: expect.stringMatching(/\w/) }],
  })
})
