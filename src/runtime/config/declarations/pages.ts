import { isLoopback } from '@csp/lib/url'
import { about, address, choice, list, searchCommands } from '../setting-types.ts'

const pages = { group: 'Pages', commands: [...searchCommands, 'fetch', 'verify', 'receipt'] } as const

/** `wiki.intranet`, `10.0.0.7:8080`, `[fd00::7]`. */
const host = /^(?:\[[\da-f:.]+\]|[^\s/?#@:[\]]+)(?::\d{1,5})?$/i

/** The pages of the web that may be read, and the way to read them. */
export const pageFields = {
  pages: choice('off', 'search', 'on')
    .default('on')
    .register(about, {
      ...pages,
      hint: 'off|search|on',
      help: 'Read no pages, only pages that a search found, or any public page',
    }),
  pagesAllow: list('hosts such as wiki.intranet or 10.0.0.7:8080, with commas between them', host)
    .default([])
    .register(about, {
      ...pages,
      hint: 'HOSTS',
      help: 'Hosts of your own network to read as well: wiki.intranet, 10.0.0.7:8080',
    }),
  pagesRobots: choice('on', 'off')
    .default('on')
    .register(about, { ...pages, hint: 'on|off', help: 'Obey robots.txt' }),
  pagesBrowser: address('http://127.0.0.1:9222')
    .refine(
      (url) => isLoopback(URL.parse(url)?.hostname ?? ''),
      'must be on this machine, such as http://127.0.0.1:9222',
    )
    .optional()
    .register(about, {
      ...pages,
      hint: 'URL',
      help: 'DevTools address of a Chromium on this machine, to read pages that need scripts',
    }),
}
