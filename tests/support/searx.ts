import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the engine of a searx under test finds, page by page. */
export type EnginePages = (query: string, page: number) => readonly { url: string; title: string; content: string }[]

export interface RunningSearx extends AsyncDisposable {
  readonly url: string
  /** What its engine was asked, in order. */
  readonly asked: readonly { readonly query: string; readonly page: number }[]
}

/** Where searx is, the program that SearXNG was forked from; nothing where it is not installed. */
export const searxProgram = Bun.which('searx-run') ?? undefined

/** Starts the real searx on loopback, with one engine, whose pages are given. */
export async function startSearx(pages: EnginePages): Promise<RunningSearx> {
  if (!searxProgram) throw new Error('searx is not installed.')
  const asked: { query: string; page: number }[] = []
  const engine = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { searchParams } = new URL(request.url)
      const [query, page] = [searchParams.get('q') ?? '', Number(searchParams.get('p'))]
      asked.push({ query, page })
      return Response.json({ results: pages(query, page) })
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'csp-searx-'))
  const port = await freePort()
  const file = join(folder, 'settings.yml')
  writeFileSync(file, JSON.stringify(settings(port, `http://127.0.0.1:${engine.port}/?q={query}&p={pageno}`)))
  const child = Bun.spawn([searxProgram], {
    env: { PATH: process.env['PATH'], HOME: folder, SEARX_SETTINGS_PATH: file },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await Promise.all([child.exited, engine.stop(true)])
    rmSync(folder, { recursive: true })
  }
  if (!(await says(child.stderr, 'Running on'))) {
    await stop()
    throw new Error('searx did not start.')
  }
  return { url: `http://127.0.0.1:${port}`, asked, [Symbol.asyncDispose]: stop }
}

/** Reads on after that, so that the program never waits for a reader. */
async function says(stream: ReadableStream<Uint8Array>, words: string): Promise<boolean> {
  const said = Promise.withResolvers<boolean>()
  const read = async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000)
      if (text.includes(words)) said.resolve(true)
    }
    said.resolve(false)
  }
  read().catch(said.reject)
  return said.promise
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const { port } = server
  await server.stop(true)
  return port ?? 0
}

/** JSON is YAML. The defaults of the program are in no file of the package. */
function settings(port: number, engine: string): object {
  const none = { git_url: '', git_branch: '', issue_url: '', docs_url: '', public_instances: '', wiki_url: '' }
  const share = '/usr/share/python3-searx'
  const theme = { default_theme: 'oscar', default_locale: '', theme_args: { oscar_style: 'logicodev' } }
  return {
    general: { debug: false, instance_name: 'test', contact_url: false, enable_stats: false },
    brand: { ...none, twitter_url: '' },
    search: { safe_search: 0, autocomplete: '', default_lang: '', ban_time_on_fail: 1, max_ban_time_on_fail: 1 },
    server: {
      ...{ port, bind_address: '127.0.0.1', secret_key: 'test', base_url: false, image_proxy: false },
      ...{ http_protocol_version: '1.0', method: 'GET', default_http_headers: {} },
    },
    ui: { static_path: `${share}/static`, templates_path: `${share}/templates`, ...theme },
    outgoing: { request_timeout: 5, useragent_suffix: '', pool_connections: 10, pool_maxsize: 5, enable_http2: false },
    checker: { off_when_debug: true },
    engines: [
      {
        ...{ name: 'loopback', engine: 'json_engine', shortcut: 'lb', categories: 'general', enable_http: true },
        ...{ search_url: engine, paging: true, timeout: 5, results_query: 'results' },
        ...{ url_query: 'url', title_query: 'title', content_query: 'content' },
      },
    ],
    locales: { en: 'English' },
    doi_resolvers: { 'oadoi.org': 'https://oadoi.org/' },
    default_doi_resolver: 'oadoi.org',
  }
}
