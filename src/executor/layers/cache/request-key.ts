import { sha256 } from '@csp/lib/bytes'
import type { OwnPrompts } from '../../../domain/own-prompts.ts'
import type { SearchRequest } from '../../../domain/search.ts'

/** Equal requests have equal keys, and only they do; an absent field equals `undefined`. JSON, as long as the request. */
export function requestKey(request: SearchRequest): string {
  return JSON.stringify(request, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
}

/** Who may get what another caller's search found: all callers, or only those with the same key. */
export type CacheScope = 'all' | 'key'

/** The request key, for one caller alone where that is the scope. */
export function scopedKey(request: SearchRequest, caller: string | undefined, scope: CacheScope = 'all'): string {
  const key = requestKey(request)
  return scope === 'all' ? key : JSON.stringify([caller ?? '', key])
}

export interface KeyOptions {
  /** `all` by default. */
  readonly scope?: CacheScope | undefined
  /** An answer that was written under other prompts is another answer. */
  readonly prompts?: OwnPrompts | undefined
}

/** The scoped key, or of a long one its hash: maps would hash and keep a megabyte at each look. */
export async function cacheKey(
  request: SearchRequest,
  caller: string | undefined,
  { scope, prompts }: KeyOptions = {},
): Promise<string> {
  const plain = scopedKey(request, caller, scope)
  const key = prompts && request.want === 'answer' ? JSON.stringify({ prompts, plain }) : plain
  return key.length > maxPlainKeyLength ? storageKey(key) : key
}

const maxPlainKeyLength = 4096

/** A request key as stores take it: `v1:` and the 64 hexadecimal digits of its SHA-256. */
export async function storageKey(key: string): Promise<string> {
  return `v1:${await sha256(key)}`
}
