/** What the keys that a request brought are worth. */
export type KeyVerdict = 'accepted' | 'missing' | 'wrong'

/**
 * Checks the key of a request, in whichever header its vendor puts it. Without keys everything is accepted.
 * Digests are compared, all of them and to the end, so that the time taken tells nothing of a key.
 */
export function keyCheck(keys: readonly string[]): (headers: Headers) => Promise<KeyVerdict> {
  const known = Promise.all(keys.map(digest))
  return async (headers) => {
    if (keys.length === 0) return 'accepted'
    const presented = presentedKeys(headers)
    if (presented.length === 0) return 'missing'
    const digests = await Promise.all(presented.map(digest))
    let accepted = false
    for (const candidate of digests) {
      for (const key of await known) accepted = sameBytes(candidate, key) || accepted
    }
    return accepted ? 'accepted' : 'wrong'
  }
}

/** Whether a request brought a key in a header, right or wrong. */
export function hasKey(headers: Headers): boolean {
  return presentedKeys(headers).length > 0
}

function presentedKeys(headers: Headers): readonly string[] {
  const bearer = /^bearer\s+(\S.*)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1]
  return [bearer, headers.get('x-api-key'), headers.get('x-subscription-token')].flatMap((key) =>
    key?.trim() ? [key.trim()] : [],
  )
}

async function digest(key: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key)))
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.reduce((difference, byte, index) => difference | (byte ^ (right[index] ?? 0)), 0) === 0
}
