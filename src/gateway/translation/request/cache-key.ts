import { toHex } from '../../../lib/bytes.ts'
import type { MessagesRequest } from '../../../messages-api/request.ts'

/** A key for the provider's cache of prompts: of the session, which it does not name. */
export async function cacheKeyOf({ metadata }: MessagesRequest): Promise<string | undefined> {
  if (!metadata?.user_id) return undefined
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(metadata.user_id))
  return toHex(new Uint8Array(digest)).slice(0, 32)
}
