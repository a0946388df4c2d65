import { sandboxNotice } from '../../domain/health.ts'
import { Refusal } from '../exchange/refusal.ts'
import { wantsPage } from '../http/guard.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'
import type { PageFile } from './own-parts.ts'

/**
 * The page at `/`, for anybody: it holds nothing of this server. A browser gets the page, which reads the question of
 * `?q=` itself; programs get a line of JSON, and what looks like a request to SearXNG goes on to the next handler.
 */
export const frontPage: OwnEndpoint = {
  reference: {
    summary: 'The page for people in a browser, a line of JSON otherwise; with `q`, SearXNG by its bare address',
    isOpen: true,
    reply: { name: 'claude-search-proxy', health: '/health', docs: '/openapi.json' },
    status: { 308: 'To the search of SearXNG.' },
  },
  mount(app, paths, { version, checkKey, page, executor }) {
    app.on('GET', paths, async (context, next) => {
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
        const notice = executor.isSandbox ? sandboxNotice : undefined
        const text = markup({ url: origin, needsKey: verdict === 'missing', isDirect, notice })
        return context.body(text, 200, { ...pageHeaders, ...type })
      }
      // Without a key nobody learns which version this is, as with `/health`.
      const known = verdict === 'accepted' ? { version } : {}
      return jsonReply(context, { name: 'claude-search-proxy', ...known, health: '/health', docs: '/openapi.json' })
    })
  },
}

/** The files of the page. */
export const pageFile: OwnEndpoint = {
  reference: {
    summary: 'Scripts and styles of the page',
    isOpen: true,
    reply: 'text/javascript',
  },
  isHere: ({ page }) => page !== undefined,
  mount(app, paths, { page }) {
    app.on('GET', paths, async (context) => {
      const name = context.req.param('name') ?? ''
      const files = (await page?.())?.files ?? {}
      const found = Object.hasOwn(files, name) ? files[name] : undefined
      if (!found) throw new Refusal('not-found', `There is nothing at ${context.req.method} ${context.req.path}.`)
      const packed = await packedOf(found)
      // Kept by the browser, and asked about each time: a csp that was replaced has others.
      const headers = { ...pageHeaders, etag: packed.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }
      if (context.req.header('if-none-match') === packed.etag) return context.body(null, 304, headers)
      const isZipped = packed.zipped && /\bgzip\b/.test(context.req.header('accept-encoding') ?? '')
      return context.body(isZipped ? packed.zipped : found.body, 200, {
        ...headers,
        'content-type': found.type,
        ...(isZipped && { 'content-encoding': 'gzip' }),
      })
    })
  },
}

interface Packed {
  readonly etag: string
  /** Absent where it would not be smaller. */
  readonly zipped: Uint8Array<ArrayBuffer> | undefined
}

const packedFiles = new WeakMap<PageFile, Promise<Packed>>()

/** What a file is sent as, made once. */
function packedOf(file: PageFile): Promise<Packed> {
  const known = packedFiles.get(file) ?? pack(file)
  packedFiles.set(file, known)
  return known
}

async function pack({ body }: PageFile): Promise<Packed> {
  const plain = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', plain))
  const etag = `"${[...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}"`
  if (typeof body !== 'string') return { etag, zipped: undefined }
  const stream = new Blob([plain]).stream().pipeThrough(new CompressionStream('gzip'))
  return { etag, zipped: new Uint8Array(await new Response(stream).arrayBuffer()) }
}

/** Nothing of another site runs or is loaded, nothing is sent elsewhere, and no other page can frame this one. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
