// A Hono app on Bun, with csp below /search-api. Needs: bun add hono claude-search-proxy
//
//   bun examples/bun.mjs
//   curl -s http://127.0.0.1:3000/search-api/v1/search -d '{"query": "bun 1.4 release notes"}'
import { claude, createApp, searxng } from 'claude-search-proxy'
import { Hono } from 'hono'

const { SEARXNG_URL, PORT = '3000' } = process.env
const csp = createApp({ backends: SEARXNG_URL ? [searxng({ url: SEARXNG_URL }), claude()] : [claude()] })

const app = new Hono()
app.get('/', (context) => context.text('My own page.'))
// Bun's server comes along with each request, so that it does not cut a search that takes more than ten seconds.
app.mount('/search-api', csp.fetch)

const server = Bun.serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) })
console.log(`http://127.0.0.1:${server.port}/search-api`)
process.on('SIGTERM', async () => {
  await Promise.all([server.stop(), csp.close()])
  process.exit()
})
