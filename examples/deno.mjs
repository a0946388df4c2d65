// csp alone, on Deno. Needs: deno add npm:claude-search-proxy
//
//   deno run --allow-net --allow-env --allow-read --allow-sys examples/deno.mjs
//   curl -s http://127.0.0.1:3000/v1/search -d '{"query": "bun 1.4 release notes"}'
import { createApp, searxng } from 'claude-search-proxy'

const csp = createApp({ backends: searxng({ url: Deno.env.get('SEARXNG_URL') ?? 'http://127.0.0.1:8888' }) })

const onListen = ({ port }) => console.log(`http://127.0.0.1:${port}`)
const port = Number(Deno.env.get('PORT') ?? '3000')
Deno.serve({ hostname: '127.0.0.1', port, onListen }, (request) => csp.fetch(request))
