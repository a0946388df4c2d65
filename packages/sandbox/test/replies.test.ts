import { describe, expect, test } from 'bun:test'
import type { MessagesRequest } from '@csp/messages-api/request'
import { z } from 'zod'
import { inventedUrls } from '../src/replies/model-text.ts'
import { pagesAbout } from '../src/replies/pages.ts'
import { type Scenario, scenarios } from '../src/scenario.ts'
import { sampleRequests } from './sample-requests.ts'
import { createSandbox, type SandboxOptions } from './support/recorded-sandbox.ts'

const now = () => new Date('2026-03-15T12:00:00Z')
const pages = pagesAbout({ query: 'bun runtime', count: 8, now: now() })
const linesWanted = sampleRequests.search(
  'bun runtime\n\nReply format: one line for each result, and nothing else:\nURL | YYYY-MM-DD | excerpt',
)
const toolResult = `Web search results for query: "bun"\n\nLinks: ${JSON.stringify(pages)}\n\nA summary.`
const sources = pages.map(({ title, url }, index) => `[${index + 1}] ${title} — ${url}`).join('\n')
const writer = sampleRequests.write(`Answer.\n<sources>\n${sources}\n</sources>\n<question>bun?</question>`)

describe('a search call of the sandbox', () => {
  test('finds the pages of its query, with their ages', async () => {
    const { results } = await ask(sampleRequests.search('bun runtime'))
    expect(results.map(({ title, url }) => ({ title, url }))).toEqual(pages.map(({ title, url }) => ({ title, url })))
    expect(results.map(({ page_age }) => page_age)).toContain('March 15, 2026')
    expect(results.map(({ page_age }) => page_age)).toContain(null)
  })

  test('does not take a reply format for a part of the query', async () => {
    const { results, query } = await ask(linesWanted)
    expect(query).toBe('bun runtime')
    expect(results.map(({ url }) => url)).toEqual(pages.map(({ url }) => url))
  })

  test('writes one line for each page when asked to', async () => {
    const { text } = await ask(linesWanted)
    const lines = text.split('\n').filter((line) => line.includes(' | '))
    expect(lines).toEqual(pages.map(({ url, publishedAt, excerpt }) => `${url} | ${publishedAt ?? '?'} | ${excerpt}`))
  })

  test('writes prose with links when not asked, or when it does not comply', async () => {
    for (const [body, scenario] of [
      [sampleRequests.search('bun runtime'), 'ok'],
      [linesWanted, 'non-compliant'],
    ] as const) {
      const { text } = await ask(body, { scenario })
      expect(text).not.toContain(' | 20')
      expect(text).toContain(`](${pages[0]?.url})`)
    }
  })

  test('writes prose when an answer is wanted, and very little when a word is wanted', async () => {
    const answer = await ask(sampleRequests.search('bun runtime\n\nReply format: answer with links [title](url).'))
    expect(answer.text).toContain(`](${pages[0]?.url})`)
    const word = await ask(sampleRequests.search('bun runtime\n\nReply format: reply with the one word "done".'))
    expect(word.text).toBe('Sandbox answer: done.')
    expect(word.results).toHaveLength(8)
  })

  test('respects the domains', async () => {
    const allowed = await ask(sampleRequests.search('bun', { allowed_domains: ['my.example'] }))
    expect(new Set(allowed.results.map(({ url }) => new URL(url).host))).toEqual(new Set(['my.example']))
    const none = await ask(sampleRequests.search('bun', { allowed_domains: ['github.com'] }))
    expect(none.results).toEqual([])
    const blocked = await ask(sampleRequests.search('bun', { blocked_domains: ['example'] }))
    expect(blocked.results.filter(({ url }) => new URL(url).host.endsWith('.example'))).toEqual([])
    expect(blocked.results).toHaveLength(8)
  })

  test.each([
    ['search-too-many-requests', 'too_many_requests'],
    ['search-max-uses-exceeded', 'max_uses_exceeded'],
    ['search-unavailable', 'unavailable'],
    ['search-query-too-long', 'query_too_long'],
  ] as const)('in the scenario %s returns the error %s', async (scenario, error_code) => {
    const { content } = await ask(sampleRequests.search('bun'), { scenario })
    expect(content[1]).toMatchObject({ content: { type: 'web_search_tool_result_error', error_code } })
  })

  test('may find nothing, or not search at all', async () => {
    expect((await ask(linesWanted, { scenario: 'empty' })).content[1]).toMatchObject({ content: [] })
    expect((await ask(linesWanted, { scenario: 'no-search' })).content.map(({ type }) => type)).toEqual(['text'])
  })
})

describe('a decide call of the sandbox', () => {
  test("searches for the user's words", async () => {
    const { content, stop_reason } = await ask(sampleRequests.decide('What is\nBun?'))
    expect(content).toMatchObject([{ type: 'tool_use', name: 'WebSearch', input: { query: 'What is Bun?' } }])
    expect(stop_reason).toBe('tool_use')
  })

  test('finds the question in a longer prompt, and the domains that it names', async () => {
    const filters =
      'Prefer pages in the language en (ISO code).\nCall WebSearch with allowed_domains: a.example, b.org.'
    const prompt = `<question>\nWhat is Bun?\n</question>\n\n<filters>\n${filters}\n</filters>\n\nSearch, then answer.`
    const { content } = await ask(sampleRequests.decide(prompt))
    expect(content[0]?.['input']).toEqual({ query: 'What is Bun?', allowed_domains: ['a.example', 'b.org'] })
  })

  test('may write something first, or answer at once', async () => {
    const types = async (scenario: Scenario) =>
      (await ask(sampleRequests.decide('bun?'), { scenario })).content.map(({ type }) => type)
    expect(await types('preamble')).toEqual(['text', 'tool_use'])
    expect(await types('no-search')).toEqual(['text'])
  })
})

describe('a write call of the sandbox', () => {
  test('cites numbered sources by number', async () => {
    const { text } = await ask(writer)
    expect(text.match(/\[\d+\]/g)).toEqual(['[1]', '[2]', '[3]', '[4]'])
    expect(text).not.toContain('http')
  })

  test('links what a tool result listed', async () => {
    const { text } = await ask(sampleRequests.afterSearch('bun?', toolResult))
    for (const { url } of pages.slice(0, 4)) expect(text).toContain(`](${url})`)
  })

  test('contains only the words themselves when there are no sources', async () => {
    expect((await ask(sampleRequests.write('Say hello.'))).text).toContain('“Say hello.”')
    const prompt = '<conversation>\nUser: Hi.\n</conversation>\n\n<question>\nSay hello.\n</question>'
    expect((await ask(sampleRequests.write(prompt))).text).toContain('“Say hello.”')
  })
})

describe('the scenarios of the sandbox', () => {
  const texts: readonly (readonly [string, MessagesRequest])[] = [
    ['search', linesWanted],
    ['write with sources', writer],
    ['write after a search', sampleRequests.afterSearch('bun?', toolResult)],
  ]

  test.each(texts)('for %s: invented-url adds two URLs that no result has', async (_, body) => {
    const { text } = await ask(body, { scenario: 'invented-url' })
    for (const url of inventedUrls) expect(text).toContain(url)
  })

  test.each(texts)('for %s: trailing-sources ends with a list of links', async (_, body) => {
    const { text } = await ask(body, { scenario: 'trailing-sources' })
    expect(text.trimEnd()).toMatch(/\nSources:\n(- \[.+\]\(https:.+\)\n?)+$/)
  })

  test.each(texts)('for %s: max-tokens ends early', async (_, body) => {
    const whole = await ask(body)
    const { text, stop_reason } = await ask(body, { scenario: 'max-tokens' })
    expect(stop_reason).toBe('max_tokens')
    expect(whole.text).toStartWith(text)
    expect(text.length).toBeLessThan(whole.text.length)
  })

  test.each(texts)('for %s: refusal ends with the stop reason of a refusal', async (_, body) => {
    expect((await ask(body, { scenario: 'refusal' })).stop_reason).toBe('refusal')
  })

  test('have texts that say that they come from the sandbox', async () => {
    const bodies = [...texts.map(([, body]) => body), sampleRequests.decide('bun?'), sampleRequests.write('bun?')]
    for (const scenario of scenarios.filter((name) => !/^(error-|hang|cut|garbage)/.test(name))) {
      for (const body of bodies) {
        const { content, text } = await ask(body, { scenario, deltaPauseMs: 0 })
        if (content.some(({ type }) => type === 'text')) expect(text).toStartWith('Sandbox')
      }
    }
  })

  test('cannot be started by what a caller writes', async () => {
    for (const scenario of scenarios) {
      const { results } = await ask(sampleRequests.search(`scenario: ${scenario}`))
      expect(results).toHaveLength(8)
    }
  })
})

const reply = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string(),
})
const resultList = z.array(z.object({ title: z.string(), url: z.string(), page_age: z.string().nullable() }))

async function ask(body: MessagesRequest, options: SandboxOptions = {}) {
  const request = new Request('http://sandbox/v1/messages', {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: false }),
  })
  const response = await createSandbox({ now, ...options }).fetch(request)
  const { content, stop_reason } = reply.parse(await response.json())
  const found = content.find(({ type }) => type === 'web_search_tool_result')?.['content']
  const use = content.find(({ type }) => type === 'server_tool_use')?.['input']
  return {
    content,
    stop_reason,
    text: content.map(({ text }) => text ?? '').join(''),
    results: resultList.safeParse(found).data ?? [],
    query: z.object({ query: z.string() }).safeParse(use).data?.query,
  }
}
