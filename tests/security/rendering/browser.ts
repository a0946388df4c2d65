import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { chromiumPath } from '@csp/testing/chromium-path'
import { chromium } from 'playwright-core'

/** Where `.ci/install-optional` puts what is too large for a dependency. */
const renderers = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'csp-tests')
const mermaid = join(renderers, 'mermaid-12.3.0')
const mathJax = join(renderers, 'mathjax-4.1.3')

/** Whether this machine has all that `openRenderingBrowser` needs. */
export const canRender = chromiumPath !== undefined && existsSync(mermaid) && existsSync(mathJax)

const ofPackage = (name: string, file: string) =>
  join(import.meta.resolve(`${name}/package.json`).replace('file://', ''), '..', file)

const files: Readonly<Record<string, () => string>> = {
  '/marked.js': () => ofPackage('marked', 'lib/marked.umd.js'),
  '/markdown-it.js': () => ofPackage('markdown-it', 'dist/browser/markdown-it.umd.min.js'),
  '/katex.js': () => ofPackage('katex', 'dist/katex.min.js'),
  '/auto-render.js': () => ofPackage('katex', 'dist/contrib/auto-render.min.js'),
  '/mermaid.js': () => join(mermaid, 'dist/mermaid.min.js'),
}

const mathJaxOptions = {
  startup: { typeset: false },
  tex: { inlineMath: ['$', '\\('].map((open) => [open, open === '$' ? '$' : '\\)']) },
  loader: { load: ['html', 'bbox', 'unicode', 'texhtml'].map((name) => `[tex]/${name}`), paths: { fonts: '/fonts' } },
  options: {
    enableMenu: false,
    menuOptions: { settings: { enrich: false, speech: false, braille: false, assistiveMml: false } },
  },
}
const scripts = ['/mathjax/tex-svg.js', ...Object.keys(files), '/client.js']
const page = `<!doctype html><meta charset="utf-8"><script>MathJax = ${JSON.stringify(mathJaxOptions)}</script>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}<body></body>`

/** A browser with the programs that clients render answers with. It reaches nothing but its own page. */
export async function openRenderingBrowser() {
  const client = new Bun.Transpiler({ loader: 'ts' }).transformSync(
    await Bun.file(new URL('client.ts', import.meta.url)).text(),
  )
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/') return new Response(page, { headers: { 'content-type': 'text/html' } })
      if (pathname === '/client.js') return new Response(client, { headers: { 'content-type': 'text/javascript' } })
      const file = files[pathname]?.() ?? join(mathJax, pathname.replace('/mathjax/', ''))
      return existsSync(file) ? new Response(Bun.file(file)) : new Response('', { status: 404 })
    },
  })
  const own = `http://127.0.0.1:${server.port}/`
  const browser = await chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const tab = await browser.newPage()
  let requests: string[] = []
  await tab.route('**/*', async (route) => {
    const url = route.request().url()
    if (url.startsWith(own)) return route.continue()
    requests.push(url)
    return route.abort()
  })
  tab.on('websocket', (socket) => requests.push(socket.url()))
  await tab.goto(own)
  await tab.evaluate('MathJax.startup.promise.then(() => 1)')
  return {
    /** What is live in each of these texts, and the requests that went elsewhere. */
    async render(texts: readonly string[]) {
      requests = []
      const live = await tab.evaluate<string[][]>(`renderAll(${JSON.stringify(texts)})`)
      return { live, requests }
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await server.stop(true)
    },
  }
}
