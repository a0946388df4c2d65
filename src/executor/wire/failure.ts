import { readLimited } from '@csp/lib/bytes'
import { parseJson } from '@csp/lib/json'
import { cleanText } from '@csp/lib/text'
import { z } from 'zod'
import { SearchError, type SearchErrorCode } from '../../domain/error.ts'

/** How `/execute` says that a search failed: as a reply of its own, or as the last event of a stream. */
export interface RemoteFailure {
  readonly type: 'error'
  readonly code: string
  readonly message: string
  readonly retryAfterSeconds?: number | undefined
}

const failureSchema: z.ZodType<RemoteFailure> = z.object({
  type: z.literal('error'),
  code: z.string(),
  message: z.string(),
  retryAfterSeconds: z.number().positive().optional(),
})

/** Reads the failure that a remote csp reports; `undefined` when the value is not one. */
export function readFailure(value: unknown): SearchError | undefined {
  const failure = failureSchema.safeParse(value).data
  if (!failure) return undefined
  const { code, message, retryAfterSeconds } = failure
  const known = codes.get(code) ?? 'failed'
  return new SearchError(known, shown(message), {
    forOthers: kinds[known],
    retryAfterSeconds: wholeSeconds(retryAfterSeconds),
  })
}

/** Converts a reply without events to an error. Reads the body only as far as a failure may be long. */
export async function failureOfReply(name: string, response: Response): Promise<SearchError> {
  const told = readFailure(await readJson(response))
  const retryAfterSeconds = wholeSeconds(told?.retryAfterSeconds ?? Number(response.headers.get('retry-after')))
  const { status } = response
  const code = told?.code ?? codeOf(status)
  // Our key was rejected there; the key of the caller may be valid.
  if (status === 401 || status === 403) return new SearchError('signed-out', `${name} refuses the key of this csp.`)
  const { message = `${name} answered with status ${status}.`, forOthers } = told ?? {}
  return new SearchError(code, message, { retryAfterSeconds, forOthers })
}

/** What others are told of a failure of the other end's, which may quote a request. */
const kinds: Readonly<Record<SearchErrorCode, string>> = {
  'invalid-request': 'The other csp refused a request.',
  unauthorized: 'The other csp refuses the key of this csp.',
  'signed-out': 'The other csp is not signed in, or refuses the key of this csp.',
  'rate-limited': 'The other csp has reached a limit.',
  busy: 'The other csp is busy.',
  unavailable: 'The other csp, or what it searches with, cannot be reached.',
  ungrounded: 'The other csp got an answer without a search.',
  timeout: 'The other csp took too long.',
  cancelled: 'The other csp was stopped.',
  failed: 'The other csp failed.',
}

/** Maps a failure of the other end's search to ours. */
const searchCodes = {
  'invalid-request': 'invalid-request',
  // The other end refuses our key, not the caller's.
  unauthorized: 'signed-out',
  'signed-out': 'signed-out',
  'rate-limited': 'rate-limited',
  busy: 'busy',
  unavailable: 'unavailable',
  ungrounded: 'ungrounded',
  timeout: 'timeout',
  // Cancelled by the other end, which is shutting down.
  cancelled: 'unavailable',
  failed: 'failed',
} as const satisfies Record<SearchErrorCode, SearchErrorCode>

const codes: ReadonlyMap<string, SearchErrorCode> = new Map<string, SearchErrorCode>([
  ...Object.entries(searchCodes),
  ['too-large', 'invalid-request'],
  ['encoded-body', 'invalid-request'],
  ['unknown-model', 'invalid-request'],
  ['forbidden', 'signed-out'],
])

function codeOf(status: number): SearchErrorCode {
  if (status === 400 || status === 413) return 'invalid-request'
  if (status === 429) return 'rate-limited'
  if (status === 504) return 'timeout'
  // That server is not csp, an old one, or a proxy without its csp.
  return 'unavailable'
}

function wholeSeconds(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds > 0 ? Math.min(Math.ceil(seconds), maxWaitSeconds) : undefined
}

const maxWaitSeconds = 30 * 86_400

function shown(message: string): string {
  return cleanText(message).slice(0, 500)
}

async function readJson(response: Response): Promise<unknown> {
  const text = await readLimited(response, maxFailureBytes).catch(() => undefined)
  return text === undefined ? undefined : parseJson(text)
}

const maxFailureBytes = 64 * 1024
