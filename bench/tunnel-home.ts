import { createHomeApp } from '../src/app.ts'
import type { SearchEvent } from '../src/domain/search.ts'
import type { Executor } from '../src/executor/executor.ts'
import { connectHome } from '../src/runtime/tunnel/connect-home.ts'

// The home of bench/tunnel.ts: searches that cost nothing, by a port of its own and through the edge named to it. It
// writes down where its link stands, a line of JSON each time.

const [edge = '', secret = '', home = 'bench'] = process.argv.slice(2)

const rows = Array.from({ length: 8 }, (_, index) => ({
  title: `Page ${index}`,
  url: `https://site${index}.example/page`,
  snippet: 'An excerpt of ordinary length, as a search brings for each of its pages. '.repeat(3),
  source: 'bench',
}))

const executor: Executor = {
  name: 'bench',
  async *search({ want, query }, { signal }): AsyncGenerator<SearchEvent> {
    yield { type: 'search-start', id: 's', query }
    yield { type: 'search-results', id: 's', results: rows }
    // No model writes it all at once.
    if (want === 'answer') await Bun.sleep(20)
    if (want === 'answer') for (let left = 100; left > 0; left--) yield { type: 'text-delta', text: 'some words ' }
    if (query === 'hang') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    yield { type: 'done', reason: 'stop', usage: { searches: 1, inputTokens: 0, outputTokens: 0 }, model: 'bench' }
  },
  health: async () => ({ ready: true, backends: [{ name: 'bench', ready: true }] }),
  close: async () => {},
}

const app = createHomeApp({ executor, version: 'bench' })

async function handler(request: Request): Promise<Response> {
  const megabytes = Number(new URL(request.url).searchParams.get('megabytes'))
  return megabytes > 0 ? new Response(zeros(megabytes)) : app.fetch(request)
}

function zeros(megabytes: number): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(64 * 1024)
  let left = megabytes * 16
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk)
      else controller.close()
    },
  })
}

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: handler })
connectHome({
  ...{ url: edge, secret, home, capacity: 100, handler },
  onState: ({ name }) => console.log(JSON.stringify({ name, at: Date.now(), url: server.url.origin })),
})
