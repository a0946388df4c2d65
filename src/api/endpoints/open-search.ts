import type { Context } from 'hono'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { addressOf } from '../http/proxied.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/** The OpenSearch description, by which browsers and launchers add the page as a search engine. */
export const openSearch: OwnEndpoint = {
  reference: {
    summary: 'The page as a search engine, for browsers and launchers',
    isOpen: true,
    reply: 'application/opensearchdescription+xml',
  },
  isHere: ({ page }) => page !== undefined,
  mount(app, paths) {
    app.on('GET', paths, describePage)
  },
}

function describePage(context: Context<AppEnvironment>): Response {
  // Safe in XML: the guard lets through plain host names alone, and a prefix has none but plain letters.
  const address = addressOf(context.req.raw)
  return context.body(
    `<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>csp</ShortName>
  <Description>claude-search-proxy: answers from the web with their sources</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" method="get" template="${address}/?q={searchTerms}"/>
  <Url type="application/opensearchdescription+xml" rel="self" template="${address}/opensearch.xml"/>
</OpenSearchDescription>
`,
    200,
    { 'content-type': 'application/opensearchdescription+xml; charset=utf-8', 'x-content-type-options': 'nosniff' },
  )
}
