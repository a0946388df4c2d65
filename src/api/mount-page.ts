import type { Hono } from 'hono'
import { type FrontPageOptions, frontPage } from './endpoints/front-page.ts'
import { openSearch } from './endpoints/open-search.ts'
import type { AppEnvironment } from './http/exchange.ts'
import { mount } from './mount.ts'
import { reference } from './openapi/endpoint.ts'

/** Mounts what everybody may read: the page for people, as far as there is one, and the reference of the routes. */
export function mountPage(app: Hono<AppEnvironment>, options: FrontPageOptions): void {
  const { address, file } = frontPage(options)
  const { json, text, page } = reference(options.page)
  app.get('/', address)
  mount(app, '/openapi.json', { GET: json, HEAD: json })
  mount(app, '/llms.txt', { GET: text, HEAD: text })
  if (!options.page) return
  mount(app, '/page/:name', { GET: file, HEAD: file })
  mount(app, '/opensearch.xml', { GET: openSearch, HEAD: openSearch })
  mount(app, '/docs', { GET: page, HEAD: page })
}
