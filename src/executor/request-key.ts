import type { SearchRequest } from '../domain/search.ts'

/** `v1:` and 64 hexadecimal digits. Requests share a key only when they are equal; an absent field equals `undefined`. */
export async function requestKey(request: SearchRequest): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(request))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `v1:${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** JSON in which the order of an object's fields does not matter. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  )
}
