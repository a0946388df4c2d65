import { sha256 } from '../../../lib/bytes.ts'
import type { MessagesRequest } from '../../../messages-api/request.ts'

/** A key for the provider's cache of prompts: of the session, which it does not name. */
export async function cacheKeyOf({ metadata }: MessagesRequest): Promise<string | undefined> {
  if (!metadata?.user_id) return undefined
  return (await sha256(metadata.user_id)).slice(0, 32)
}
