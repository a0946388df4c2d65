import { sha256 } from '@csp/lib/bytes'
import type { MessagesRequest } from '@csp/messages-api/request'

/** A key for the provider's cache of prompts: of the session, which it does not name. */
export async function cacheKeyOf({ metadata }: MessagesRequest): Promise<string | undefined> {
  if (!metadata?.user_id) return undefined
  return (await sha256(metadata.user_id)).slice(0, 32)
}
