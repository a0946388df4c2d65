import { UpstreamError } from '@csp/messages-api/upstream-error'
import { SearchError, type SearchErrorCode, toSearchError } from '../../../domain/error.ts'

/** Maps a failure of an upstream. A request that it refuses is csp's own, whatever its caller has asked for. */
export function explainUpstream(error: unknown, model: string): SearchError {
  if (!(error instanceof UpstreamError)) return toSearchError(error)
  const { status, retryAfterSeconds } = error
  const { code, words } = kinds.find(({ statuses }) => statuses.includes(status)) ?? otherKind
  const forOthers = `The model ${model} ${words} (${status}).`
  const message = `${forOthers} The gateway says: ${error.message.slice(0, maxSaid)}`
  return new SearchError(code, message, { cause: error, retryAfterSeconds, forOthers })
}

interface Kind {
  readonly code: SearchErrorCode
  readonly statuses: readonly number[]
  readonly words: string
}

const kinds: readonly Kind[] = [
  { code: 'signed-out', statuses: [401, 403], words: 'cannot be used with the key of its upstream' },
  { code: 'rate-limited', statuses: [402, 429], words: 'has reached a limit of its upstream' },
  { code: 'timeout', statuses: [408, 504], words: 'took too long' },
  { code: 'failed', statuses: [400, 413, 422], words: 'refuses what csp sent' },
  { code: 'unavailable', statuses: [404], words: 'is not known to its upstream' },
]

const otherKind: Pick<Kind, 'code' | 'words'> = { code: 'unavailable', words: 'cannot be reached' }
const maxSaid = 300
