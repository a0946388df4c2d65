import type { Handler } from 'hono'
import type { CheckKey } from '../http/auth.ts'
import type { AppEnvironment } from '../http/exchange.ts'
import { wantsPage } from '../http/guard.ts'
import { jsonReply } from '../http/json-reply.ts'
import { Refusal } from '../http/refusal.ts'

/** The page for people at `/`: markup that depends on its visitor, and the files that it loads. */
export interface FrontPage {
  readonly markup: (visitor: Visitor) => string
  /** The reference of all routes, from their OpenAPI document. */
  readonly reference: (document: Readonly<Record<string, unknown>>) => string
  /** By their names below `/page/`. */
  readonly files: Readonly<Record<string, PageFile>>
}

export interface Visitor {
  /** The address of this server as the visitor wrote it, without a slash at the end. */
  readonly url: string
  /** This visitor sent no key, and needs one. */
  readonly needsKey: boolean
  /** The visitor came by the address bar, a bookmark or another program, not by a link of another site. */
  readonly isDirect: boolean
}

export interface PageFile {
  readonly type: string
  readonly text: string
}

export interface FrontPageOptions {
  readonly version: string
  readonly checkKey: CheckKey
  /** Loads the page. Absent if the page is off. */
  readonly page: (() => Promise<FrontPage>) | undefined
}

export interface FrontPageHandlers {
  readonly address: Handler<AppEnvironment>
  /** Reads the parameter `name`. */
  readonly file: Handler<AppEnvironment>
}

/**
 * Serves `/` and the files of the page, for anybody: neither holds anything of this server. A browser gets the page,
 * which reads the question of `?q=` itself; programs get a line of JSON, and what looks like a request to SearXNG goes
 * on to the next handler.
 */
export function frontPage({ version, checkKey, page }: FrontPageOptions): FrontPageHandlers {
  return {
    async address(context, next) {
      const { url, headers } = context.req.raw
      const { origin, searchParams } = new URL(url)
      const wanted = page && wantsPage(headers, searchParams) ? page : undefined
      if (searchParams.has('q') && !wanted) return next()
      const { verdict } = await checkKey(headers)
      context.header('vary', 'accept')
      if (wanted) {
        const { markup } = await wanted()
        const isDirect = ['none', 'same-origin'].includes(headers.get('sec-fetch-site') ?? '')
        const type = { 'content-type': 'text/html; charset=utf-8' }
        const text = markup({ url: origin, needsKey: verdict === 'missing', isDirect })
        return context.body(text, 200, { ...pageHeaders, ...type })
      }
      // Without a key nobody learns which version this is, as with `/health`.
      const known = verdict === 'accepted' ? { version } : {}
      return jsonReply(context, { name: 'claude-search-proxy', ...known, health: '/health', docs: '/openapi.json' })
    },
    async file(context) {
      const name = context.req.param('name') ?? ''
      const files = (await page?.())?.files ?? {}
      const found = Object.hasOwn(files, name) ? files[name] : undefined
      if (!found) throw new Refusal('not-found', `There is nothing at ${context.req.method} ${context.req.path}.`)
      return context.body(found.text, 200, { ...pageHeaders, 'content-type': found.type })
    },
  }
}

/** Nothing of another site runs or is loaded, nothing is sent elsewhere, and no other page can frame this one. */
export const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
