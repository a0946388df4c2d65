/** A SearXNG instance with one page for each query. */
export interface FakeSearxng extends AsyncDisposable {
  readonly url: string
  /** The queries that it was asked. */
  readonly queries: readonly string[]
  /** The languages that it was asked for, one for each query. */
  readonly languages: readonly (string | null)[]
  /** Whether it answers; else it says that it is down. */
  isUp: boolean
  stop(): Promise<void>
}

/** Serves it on a free port of loopback. */
export function startSearxng(): FakeSearxng {
  const queries: string[] = []
  const languages: (string | null)[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { searchParams } = new URL(request.url)
      const query = searchParams.get('q') ?? ''
      queries.push(query)
      languages.push(searchParams.get('language'))
      if (!fake.isUp) return new Response('down', { status: 502 })
      const results = [{ title: `On ${query}`, url: 'https://found.example/page', content: 'An excerpt.' }]
      return Response.json({ query, results, unresponsive_engines: [] })
    },
  })
  const stop = () => server.stop(true)
  const fake = {
    url: `http://127.0.0.1:${server.port}`,
    queries,
    languages,
    isUp: true,
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return fake
}
