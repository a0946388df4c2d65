/** A site on loopback, for the pages that a sandbox's searches find. */
export interface PageSite {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string
  readonly port: number
  /** Paths of the pages that were asked for, in order; robots.txt is not among them. */
  readonly asked: readonly string[]
  /** How many of their readers left before they had the page. */
  readonly abandoned: number
  stop(): Promise<void>
}

export interface PageSiteOptions {
  /** Awaited before each reply. */
  readonly before?: ((path: string) => Promise<unknown>) | undefined
  /** Paragraphs of each article without anything of interest; 5 by default. */
  readonly paragraphs?: number | undefined
  readonly publishedAt?: string | undefined
  /** All addresses of this machine instead of `127.0.0.1` alone, which on Linux are the whole of `127.0.0.0/8`. */
  readonly everywhere?: true | undefined
}

/** Serves an article at every path, which tells its path in its last paragraph. */
export function startPageSite(options: PageSiteOptions = {}): PageSite {
  const asked: string[] = []
  let abandoned = 0
  const server = Bun.serve({
    hostname: options.everywhere ? '0.0.0.0' : '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      if (pathname === '/robots.txt') return new Response('', { status: 404 })
      asked.push(pathname + search)
      let isDone = false
      request.signal.addEventListener('abort', () => {
        if (!isDone) abandoned++
      })
      await options.before?.(pathname + search)
      isDone = true
      return new Response(article(pathname, options), { headers: { 'content-type': 'text/html; charset=utf-8' } })
    },
  })
  const port = server.port ?? 0
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    asked,
    get abandoned() {
      return abandoned
    },
    stop: () => server.stop(true),
  }
}

function article(path: string, { paragraphs = 5, publishedAt = '2026-03-04' }: PageSiteOptions): string {
  const filler = Array.from(
    { length: paragraphs },
    (_, index) =>
      `<p>Paragraph ${index} of this article, with <a href="/more/${index}">a link</a>, tells of things that nobody asked for: the weather, the harvest, and the price of salt in the year ${1700 + (index % 300)}.</p>`,
  )
  return `<!doctype html><html lang="en"><head><title>An article</title>
<meta property="article:published_time" content="${publishedAt}T08:00:00Z"></head>
<body><nav><a href="/">Home</a> <a href="/all">All articles on harbour seals</a></nav>
<article><h1>An article</h1>${filler.join('\n')}
<p>Harbour seals rest on the sandbank of ${path.replace(/[<>&]/g, '')} at low tide. They dive for ten minutes.</p></article>
<footer>All rights reserved.</footer></body></html>`
}
