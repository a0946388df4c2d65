import type { Watch, WatchEntry, WatchFeed } from '../../domain/watch.ts'
import { plainLine, plainText } from '../../lib/text.ts'
import { Refusal } from '../exchange/refusal.ts'
import { jsonReply } from '../http/json-reply.ts'
import type { OwnEndpoint } from './own-endpoint.ts'

/** Lists the watches for whoever runs this csp; other callers have none. A csp that is asked looks for new ones. */
export const watchList: OwnEndpoint = {
  reference: {
    summary: 'The searches on a schedule, for whoever runs this csp',
    reply: {
      object: 'list',
      data: [
        {
          object: 'watch',
          id: '5f0c1e2d3b4a59687786958493a2b1c0',
          query: 'bun release',
          every_seconds: 86_400,
          problem: null,
          created_at: '2026-11-20T10:00:00.000Z',
          next_at: '2026-11-21T10:00:05.000Z',
          last_at: '2026-11-20T10:00:05.000Z',
        },
      ],
    },
  },
  mount(app, paths, { watches }) {
    app.on('GET', paths, async (context) => {
      const { key } = context.get('exchange')
      const found = (await watches?.list()) ?? []
      const isOperator = key === undefined || key.isLocal === true
      return jsonReply(context, { object: 'list', data: isOperator ? found.map(watchJson) : [] })
    })
  },
}

/** A watch as JSON. */
export function watchJson({ id, request, everyMs, createdAt, nextAt, lastAt, problem }: Watch) {
  return {
    object: 'watch',
    id,
    query: request.query,
    every_seconds: everyMs / 1000,
    problem: problem ?? null,
    created_at: timeOf(createdAt),
    next_at: timeOf(nextAt),
    last_at: lastAt === undefined ? null : timeOf(lastAt),
  }
}

/**
 * Returns what a watch has found as an Atom feed. Feed readers send no headers, so the id in the path is what a caller
 * must know, and no key is asked for.
 */
export const watchFeed: OwnEndpoint = {
  reference: {
    summary: 'What a watch has found, as an Atom feed: `ID.atom`',
    reply: 'application/atom+xml',
    isOpen: true,
    status: { 404: 'There is no such watch.' },
  },
  mount(app, paths, { watches }) {
    app.on('GET', paths, async (context) => {
      const id = /^([0-9a-f]{32})\.atom$/.exec(context.req.param('file') ?? '')?.[1]
      const feed = id === undefined ? undefined : await watches?.feed(id)
      if (!feed) throw new Refusal('not-found', 'There is no such watch; it may have been deleted.')
      const tag = `"${feed.watch.lastAt ?? 0}-${feed.entries[0]?.sequence ?? 0}"`
      context.header('etag', tag)
      context.header('referrer-policy', 'no-referrer')
      context.header('x-content-type-options', 'nosniff')
      if (context.req.header('if-none-match') === tag) return context.body(null, 304)
      const address = `${new URL(context.req.url).origin}${context.req.path}`
      return context.body(await atom(feed, address), 200, { 'content-type': 'application/atom+xml; charset=utf-8' })
    })
  },
}

/** A feed as RFC 4287 has it. Its ids do not tell the watch's. */
async function atom({ watch, entries }: WatchFeed, address: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(watch.id))
  const name = [...new Uint8Array(digest).slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  const feedId = `tag:claude-search-proxy.invalid,2026:${name}`
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${feedId}</id>`,
    `<title>${escaped(plainLine(watch.request.query))}</title>`,
    `<updated>${timeOf(entries[0]?.at ?? watch.createdAt)}</updated>`,
    '<author><name>csp</name></author>',
    `<link rel="self" type="application/atom+xml" href="${escaped(address)}"/>`,
    ...entries.map((entry) => atomEntry(entry, `${feedId}/${entry.sequence}`)),
    '</feed>',
    '',
  ].join('\n')
}

function atomEntry({ at, kind, url, title, passages }: WatchEntry, id: string): string {
  const words = passages.map(plainText).join('\n\n')
  return [
    '<entry>',
    `<id>${id}</id>`,
    `<title>${escaped(plainLine(title) || url)}</title>`,
    `<updated>${timeOf(at)}</updated>`,
    `<link href="${escaped(url)}"/>`,
    `<category term="${kind}"/>`,
    // A summary must not be missing if there is no content.
    `<summary>${escaped(words)}</summary>`,
    '</entry>',
  ].join('')
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

/** Text for an element or an attribute, without what XML 1.0 cannot hold. */
function escaped(text: string): string {
  return text.replaceAll(notXml, '').replaceAll(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}

const notXml = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
