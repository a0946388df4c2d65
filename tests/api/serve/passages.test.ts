import { describe, expect, test } from 'bun:test'
import type { SearchEvent } from '../../../src/domain/search.ts'
import { done } from '../../support/fake-executor.ts'
import { fakePageReader } from '../../support/fake-page-reader.ts'
import { type ScriptedExecutor, scriptedExecutor } from '../../support/scripted-executor.ts'
import { testApp } from '../test-app.ts'

const passages = ['Second.', 'Third.', 'Fourth.', 'Fifth.', 'Sixth.', 'Seventh.']

/** Finds a page with passages and one without anything. */
function passageApp(pages = fakePageReader({})) {
  return testApp(pagesWith(passages), { pages })
}

function pagesWith(found: readonly string[]): ScriptedExecutor {
  const results = [
    { title: 'Bees', url: 'https://bees.example/', source: 'fake', snippet: 'First.', passages: found },
    { title: 'Wasps', url: 'https://wasps.example/', source: 'fake' },
  ]
  const events: readonly SearchEvent[] = [
    { type: 'search-start', id: 'one', query: 'bees' },
    { type: 'search-results', id: 'one', results },
    done,
  ]
  return scriptedExecutor(events)
}

describe('several passages of each page', () => {
  test.each(['/res/v1/web/search', '/res/v1/news/search'])('come as extra_snippets at %s', async (path) => {
    const { get, executor } = passageApp()
    const { body, headers } = await get(`${path}?q=bees&extra_snippets=true`)
    const rows = body.web?.results ?? body.results
    expect(rows[0]).toMatchObject({ description: 'First.', extra_snippets: passages.slice(0, 5) })
    expect(rows[1]).not.toHaveProperty('extra_snippets')
    expect(headers.get('x-csp-ignored')).toBeNull()
    expect(executor.requests).toMatchObject([{ excerpts: 'pages' }])
  })

  test('come from Brave only where they were asked for', async () => {
    const { get, executor } = passageApp()
    const { body } = await get('/res/v1/web/search?q=bees')
    expect(body.web.results[0]).not.toHaveProperty('extra_snippets')
    expect(executor.requests[0]).not.toHaveProperty('excerpts')
  })

  test('are the snippets of Brave’s context, within its limits', async () => {
    const { get } = passageApp()
    const snippets = async (query: string) =>
      (await get(`/res/v1/llm/context?q=bees&${query}`)).body.grounding.generic.map(
        (page: { readonly snippets: readonly string[] }) => page.snippets.length,
      )
    expect(await snippets('')).toEqual([7, 0])
    expect(await snippets('maximum_number_of_snippets_per_url=3')).toEqual([3, 0])
    expect(await snippets('maximum_number_of_snippets=2')).toEqual([2, 0])
  })

  test('of Brave’s context keep to its tokens, in all and of a page', async () => {
    const long = testApp(pagesWith(Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(400, '.'))))
    const count = async (query: string) =>
      (await long.get(`/res/v1/llm/context?q=bees&${query}`)).body.grounding.generic[0].snippets.length
    expect(await count('maximum_number_of_tokens=1024')).toBe(11)
    expect(await count('maximum_number_of_tokens_per_url=512')).toBe(6)
  })

  test.each([
    [{}, 'First. [...] Second. [...] Third.'],
    [{ chunks_per_source: 1 }, 'First.'],
    [{ chunks_per_source: 5 }, 'First. [...] Second. [...] Third. [...] Fourth. [...] Fifth.'],
  ])('are the content of an advanced search of Tavily with %p', async (more, content) => {
    const { post, executor } = passageApp()
    const { body, headers } = await post('/tavily/search', { query: 'bees', search_depth: 'advanced', ...more })
    expect(body.results.map((row: { readonly content: string }) => row.content)).toEqual([content, ''])
    expect(headers.get('x-csp-ignored')).toBeNull()
    expect(executor.requests).toMatchObject([{ excerpts: 'pages' }])
  })

  test.each([
    [{ search_depth: 'basic' }, null],
    [{ search_depth: 'fast', chunks_per_source: 2 }, 'search_depth, chunks_per_source'],
    [{ search_depth: 'advanced', include_answer: true }, 'search_depth'],
  ])('do not come from Tavily with %p', async (more, ignored) => {
    const { post, executor } = passageApp()
    const { body, headers } = await post('/tavily/search', { query: 'bees', ...more })
    expect(body.results[0].content).toBe('First.')
    expect(headers.get('x-csp-ignored')).toBe(ignored)
    expect(executor.requests[0]).not.toHaveProperty('excerpts')
  })

  test('do not come where the caller chose another source of excerpts', async () => {
    const { get, executor } = passageApp()
    await get('/res/v1/web/search?q=bees&extra_snippets=true', { 'x-csp-excerpts': 'lines' })
    expect(executor.requests).toMatchObject([{ excerpts: 'lines' }])
  })
})
