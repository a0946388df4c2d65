import { hostOf } from '@csp/lib/url'
import { z } from 'zod'
import type { Exchange } from '../exchange/exchange.ts'
import { Refusal, refused } from '../exchange/refusal.ts'
import { booleanField, optional } from '../fields/field.ts'
import { jsonReply } from '../http/json-reply.ts'
import { type OwnEndpoint, validQuery } from './own-endpoint.ts'
import type { KeptMemory } from './own-parts.ts'

/** Reports how much memory has for its caller: of all keys, or of its own with `--cache-scope key`. */
export const memoryStats: OwnEndpoint = {
  reference: {
    summary: 'How much csp keeps of the pages that it has seen',
    reply: {
      object: 'memory',
      pages: 1200,
      bytes: 9_400_000,
      sites: 310,
      oldest: '2026-10-02T08:00:00Z',
      newest: '2026-11-20T10:00:00Z',
      may_forget: true,
    },
    status: { 404: 'This server keeps no memory.' },
  },
  mount(app, paths, parts) {
    app.on('GET', paths, async (context) => {
      const { memory, owner, mayForget } = accessOf(parts.memory, context.get('exchange'))
      const { pages, bytes, sites, oldest = null, newest = null } = await memory.stats(owner)
      return jsonReply(context, { object: 'memory', pages, bytes, sites, oldest, newest, may_forget: mayForget })
    })
  },
}

const schema = z.object({ site: optional(z.string().min(1).max(300)), all: optional(booleanField) })

/** Forgets the pages of `?site=` with its subdomains, or with `?all=true` every page of the caller. */
export const forgetMemory: OwnEndpoint = {
  method: 'DELETE',
  reference: {
    summary: 'Forgets the pages of a site with its subdomains, or all of them',
    reply: { object: 'memory.forgotten', site: 'example.org', pages: 12 },
    status: { 403: 'Keys share this memory.', 404: 'This server keeps no memory.' },
    query: schema,
  },
  mount(app, paths, parts) {
    app.on('DELETE', paths, validQuery(schema), async (context) => {
      const { site, all } = context.req.valid('query')
      if ((site === undefined) === (all !== true))
        throw refused(['site'], 'Name a site to forget, or send all=true instead')
      const host = site === undefined ? undefined : hostOf(site)
      if (host === '') throw refused(['site'], 'Must be a site, such as example.org')
      const { memory, owner, mayForget } = accessOf(parts.memory, context.get('exchange'))
      if (!mayForget)
        throw new Refusal('forbidden', 'All keys share this memory. On its machine, csp memory forget SITE does this.')
      // A large memory takes longer than a connection may be silent.
      context.get('exchange').keepOpen()
      const pages = await memory.forget({ site: host, owner })
      return jsonReply(context, { object: 'memory.forgotten', site: host ?? null, pages })
    })
  },
}

/** What a caller sees of memory. Who runs this csp has all of it; a key its own, where keys share nothing. */
function accessOf(kept: KeptMemory | undefined, { key }: Exchange) {
  if (!kept) throw new Refusal('not-found', 'This server keeps no memory.')
  const isOperator = key === undefined || key.isLocal === true
  const owner = isOperator || kept.scope === 'all' ? undefined : key.name
  return { memory: kept.memory, owner, mayForget: isOperator || owner !== undefined }
}
