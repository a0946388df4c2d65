import { expect, test } from 'bun:test'
import { createApp } from '../../../../src/app.ts'
import { remote } from '../../../../src/executor/backends/remote/remote.ts'
import { excerpted, PageExcerpts } from '../../../../src/executor/layers/excerpts/excerpted.ts'
import { done, fakeExecutor } from '../../../support/fake-executor.ts'
import { fakePageReader } from '../../../support/fake-page-reader.ts'

const url = 'https://bees.example/hive'
const text = 'Bees live in a hive of wax.\n\nOther things stand here.\n\nSome bees live in hollow trees.'

/** An edge over a home, each with its own routes, and the home with a reader. */
function edgeOverHome() {
  const backend = fakeExecutor(async function* ({ query, excerpts }) {
    const snippet = excerpts === 'lines' ? 'A line of the model.' : undefined
    yield { type: 'search-start', id: 'one', query }
    yield { type: 'search-results', id: 'one', results: [{ title: 'Bees', url, snippet, source: 'fake' }] }
    yield done
  })
  const reader = fakePageReader({ [url]: { content: text, publishedAt: '2026-02-03' } })
  const executor = excerpted(new PageExcerpts({ reader, source: 'pages' }))(backend)
  const home = createApp({ executor, version: '1', allowedHosts: ['*'] })
  return createApp({ executor: remote({ fetcher: { fetch: async (request) => home.fetch(request) } }), version: '1' })
}

async function list(headers: Record<string, string> = {}): Promise<unknown> {
  const path = '/res/v1/web/search?q=bees+in+a+hive&extra_snippets=true'
  const response = await edgeOverHome().request(path, { headers })
  const { web } = (await response.json()) as { readonly web: { readonly results: readonly unknown[] } }
  return web.results[0]
}

test('a caller of the edge gets excerpts, passages and dates of the pages that its home has read', async () => {
  expect(await list()).toMatchObject({
    description: 'Bees live in a hive of wax.',
    extra_snippets: ['Some bees live in hollow trees.'],
    page_age: '2026-02-03T00:00:00',
  })
})

test('what a caller of the edge says of excerpts reaches its home', async () => {
  expect(await list({ 'x-csp-excerpts': 'lines' })).toMatchObject({ description: 'A line of the model.' })
})
