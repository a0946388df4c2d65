import type { Handler } from 'hono'
import { z } from 'zod'
import type { MemoryScope } from '../../domain/memory.ts'
import type { Memory } from '../../domain/recall.ts'
import { hostOf } from '../../lib/url.ts'
import { booleanField, optional } from '../fields/field.ts'
import type { AppEnvironment, Exchange } from '../http/exchange.ts'
import { jsonReply } from '../http/json-reply.ts'
import { Refusal, refused } from '../http/refusal.ts'
import { validate } from '../http/validate.ts'

/** The pages that a csp has seen, and who shares them. */
export interface KeptMemory {
  readonly memory: Pick<Memory, 'stats' | 'forget'>
  readonly scope: MemoryScope
}

/**
 * Reports how much memory has for its caller: of all keys, or of its own with `--cache-scope key`. It is absent if it is
 * off, on the edge and in the library.
 */
export function memoryStats(kept: KeptMemory | undefined): Handler<AppEnvironment> {
  return async (context) => {
    const { memory, owner, mayForget } = accessOf(kept, context.get('exchange'))
    const { pages, bytes, sites, oldest = null, newest = null } = await memory.stats(owner)
    return jsonReply(context, { object: 'memory', pages, bytes, sites, oldest, newest, may_forget: mayForget })
  }
}

const schema = z.object({ site: optional(z.string().trim().min(1).max(300)), all: optional(booleanField) })

/** Forgets the pages of `?site=` with its subdomains, or with `?all=true` every page of the caller. */
export function forgetMemory(kept: KeptMemory | undefined): Handler<AppEnvironment> {
  return async (context) => {
    const { site, all } = validate(schema, { site: context.req.query('site'), all: context.req.query('all') })
    if ((site === undefined) === (all !== true))
      throw refused(['site'], 'Name a site to forget, or send all=true instead')
    const host = site === undefined ? undefined : hostOf(site)
    if (host === '') throw refused(['site'], 'Must be a site, such as example.org')
    const { memory, owner, mayForget } = accessOf(kept, context.get('exchange'))
    if (!mayForget)
      throw new Refusal('forbidden', 'All keys share this memory. On its machine, csp memory forget SITE does this.')
    // A large memory takes longer than a connection may be silent.
    context.get('exchange').keepOpen()
    return jsonReply(context, {
      object: 'memory.forgotten',
      site: host ?? null,
      pages: await memory.forget({ site: host, owner }),
    })
  }
}

/** What a caller sees of memory. Who runs this csp has all of it; a key its own, where keys share nothing. */
function accessOf(kept: KeptMemory | undefined, { key }: Exchange) {
  if (!kept) throw new Refusal('not-found', 'This server keeps no memory.')
  const isOperator = key === undefined || key.isLocal === true
  const owner = isOperator || kept.scope === 'all' ? undefined : key.name
  return { memory: kept.memory, owner, mayForget: isOperator || owner !== undefined }
}
