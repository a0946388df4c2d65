import { createHomeApp } from '../src/app.ts'
import type { SearchEvent } from '../src/domain/search.ts'
import type { Executor } from '../src/executor/executor.ts'
import { connectHome } from '../src/runtime/bun/tunnel/connect-home.ts'

// A home of bench/tunnel.ts: its searches cost nothing, and one for `hang` never ends. It writes down where its link
// stands, a line of JSON each time.

const [edge = '', secret = '', home = 'bench'] = process.argv.slice(2)

const rows = [{ title: 'A page', url: 'https://site.example/page', source: 'bench' }]

const executor: Executor = {
  name: 'bench',
  async *search({ query }, { signal }): AsyncGenerator<SearchEvent> {
    yield { type: 'search-start', id: 's', query }
    yield { type: 'search-results', id: 's', results: rows }
    yield { type: 'text-delta', text: 'some words ' }
    if (query === 'hang') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'bench' }
  },
  health: async () => ({ ready: true, backends: [{ name: 'bench', ready: true }] }),
  close: async () => {},
}

const app = createHomeApp({ executor, version: 'bench' })
connectHome({
  ...{ url: edge, secret, home, capacity: 100, handler: (request) => app.fetch(request) },
  onState: ({ name }) => console.log(JSON.stringify({ name, at: Date.now() })),
})
