// A Hono app on node, with csp below /search-api. Needs: npm install hono @hono/node-server claude-search-proxy
//
//   node examples/node.mjs
//   curl -s http://127.0.0.1:3000/search-api/v1/search -d '{"query": "bun 1.4 release notes"}'
import { serve } from '@hono/node-server'
import { claude, createApp, searxng } from 'claude-search-proxy'
import { Hono } from 'hono'

const { SEARXNG_URL, PORT = '3000' } = process.env
// SearXNG first where there is one: Claude writes the answers over its pages, and takes its place when it fails.
const csp = createApp({ backends: SEARXNG_URL ? [searxng({ url: SEARXNG_URL }), claude()] : [claude()] })

const app = new Hono()
app.get('/', (context) => context.text('My own page.'))
app.mount('/search-api', csp.fetch)

const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(PORT) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/search-api`),
)
process.on('SIGTERM', async () => {
  server.close()
  await csp.close()
})
