import type { Handler } from 'hono'
import { categories } from '../../executor/backends/searxng/facts.ts'
import { saysForm } from '../exchange/body.ts'
import type { AppEnvironment } from '../exchange/exchange.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/**
 * Sends a client that was given the address of a SearXNG instance alone on to its search, as SearXNG does. 308 keeps
 * the method and the form.
 */
export const searxngAddress: Handler<AppEnvironment> = (context, next) => {
  const { pathname, search, searchParams } = new URL(context.req.url)
  const asks = searchParams.has('q') || (context.req.method === 'POST' && saysForm(context.req.raw))
  if (!asks) return next()
  // Relative, since a reverse proxy may have taken the first part of the path away.
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return context.redirect(`${last && `${last}/`}search${search}`, 308)
}

/** What SearXNG tells of itself: clients choose engines from it. All searching is one engine here. */
export const searxngConfig: OwnEndpoint = {
  reference: {
    summary: 'What SearXNG tells of itself',
    reply: { categories: ['general'], engines: [{ name: 'csp', enabled: true }], instance_name: 'claude-search-proxy' },
  },
  mount(app, paths, { version }) {
    app.on('GET', paths, (context) => jsonReply(context, configOf(version)))
  },
}

function configOf(version: string): object {
  const names = ['general', 'web', ...categories.map(([name]) => name)]
  const engine = {
    name: 'csp',
    shortcut: 'csp',
    categories: names,
    enabled: true,
    paging: true,
    language_support: true,
    languages: [],
    regions: [],
    safesearch: true,
    time_range_support: true,
    timeout: 60,
  }
  return {
    autocomplete: '',
    brand: {},
    categories: names,
    default_doi_resolver: '',
    default_locale: '',
    default_theme: 'simple',
    doi_resolvers: [],
    engines: [engine],
    instance_name: 'claude-search-proxy',
    limiter: { enabled: false },
    locales: {},
    plugins: [],
    public_instance: false,
    safe_search: 0,
    version,
  }
}
