import { counted } from '@csp/lib/text'
import { SearchError, type SearchErrorCode } from '../../../../domain/error.ts'
import { type Exit, type LineProcess, type ProcessOptions, startProcess } from './process.ts'
import { resetTime } from './reset-time.ts'

/** A failure that the CLI reports. */
export interface CliFailure {
  /** Its message: a result's text, a tool's error, or the tail of standard error. */
  readonly text: string
  /** The API's status, where the CLI passed it on. */
  readonly apiStatus?: number | undefined
  /** When the usage limit ends, where the CLI reported it separately. */
  readonly resetsAt?: Date | undefined
}

/** Maps CLI errors to `SearchError`. */
export function explainFailure({ text, apiStatus, resetsAt }: CliFailure, now: Date): SearchError {
  const status = apiStatus ?? statusIn(text)
  const {
    code,
    message,
    retryAfterSeconds: usualWait,
  } = kinds.find(({ holds }) => holds(text, status)) ?? unknownFailure(text)
  const reset = code === 'rate-limited' && usualWait === undefined ? (resetsAt ?? resetTime(text, now)) : undefined
  const untilReset = reset && Math.max(1, Math.ceil((reset.getTime() - now.getTime()) / 1000))
  const retryAfterSeconds = usualWait ?? untilReset
  const isForAll = /hit your (?:5-hour|session|weekly) limit/i.test(text) // others are named after their model
  const words = (status ?? 0) >= 500 ? message.replace(/\.$/, ` (${status}).`) : message
  return new SearchError(code, words, { cause: text.slice(0, 500), retryAfterSeconds, isForAll })
}

/** Whether the API refused a call because of its own search tool in it. */
export function isRefusedTool(error: unknown): boolean {
  return isFailure(error, ['invalid-request', 'signed-out', 'failed'], /web.?search|server.?tool/i)
}

/** Whether a call was refused in a way that concerns how it was made, not what it asks, or that nobody knows. */
export function isRejected(error: unknown): boolean {
  return isFailure(error, ['invalid-request'], /\b400\b/) || isFailure(error, ['failed'], /^/)
}

function isFailure(error: unknown, codes: readonly SearchErrorCode[], words: RegExp): boolean {
  if (!(error instanceof SearchError) || !codes.includes(error.code)) return false
  return words.test(typeof error.cause === 'string' ? error.cause : error.message)
}

interface FailureKind {
  readonly code: SearchErrorCode
  readonly holds: (text: string, status: number | undefined) => boolean
  readonly message: string
  /** For failures whose end the CLI never reports. */
  readonly retryAfterSeconds?: number | undefined
}

const otherWays = 'Other backends search meanwhile: --backends, docs/backends.md.'

/** How to sign in, wherever the CLI is. */
export const signInAdvice = 'Run `csp login` on the machine that csp runs on.'

const kinds: readonly FailureKind[] = [
  {
    // 400, although nothing is wrong with the request.
    code: 'rate-limited',
    holds: (text) => /third-party apps now draw from/i.test(text),
    message: `Claude bills this to the extra usage of the account, not to its plan, and that is not set up. Turn it on or claim the credit at claude.ai/settings/usage. ${otherWays}`,
  },
  {
    code: 'rate-limited',
    holds: (text) => /out of extra usage/i.test(text),
    message: `The extra usage of this Claude account is used up. Add more at claude.ai/settings/usage, or wait for the plan's limit to reset. ${otherWays}`,
  },
  {
    code: 'rate-limited',
    holds: (text) => /credit balance/i.test(text),
    message: `The credit balance of the API organisation that pays is too low. Buy credits at platform.claude.com/settings/billing, or leave out --auth api-key to use the subscription. ${otherWays}`,
  },
  {
    // A 429 that is not a usage limit, and passes soon.
    code: 'rate-limited',
    holds: (text) => /not your usage limit/i.test(text),
    message: 'The Claude API is limiting requests for a moment.',
    retryAfterSeconds: 30,
  },
  {
    code: 'rate-limited',
    holds: (text, status) =>
      status === 429 || /hit your .{0,100}limit|usage limit|limit reached|rate.?limit/i.test(text),
    message: 'The usage limit of this Claude subscription is reached.',
  },
  {
    code: 'signed-out',
    holds: (_text, status) => status === 403,
    message: `Claude refused this account (403). Its plan may not include Claude Code. ${signInAdvice}`,
  },
  {
    code: 'signed-out',
    holds: (text, status) => status === 401 || /not logged in|\/login|oauth token|failed to authenticate/i.test(text),
    message: `Claude is not signed in. ${signInAdvice}`,
  },
  {
    code: 'invalid-request',
    holds: (text, status) =>
      status === 404 || /issue with the selected model|model.{0,100}not (?:exist|found)/i.test(text),
    message: 'Claude does not know this model, or this account may not use it.',
  },
  {
    code: 'invalid-request',
    holds: (text, status) => status === 413 || /(?:prompt|input) is too long|request too large/i.test(text),
    message: 'The request is too long for the model.',
  },
  {
    // Another csp refuses a CLI that is pointed at it, in these words: see the Anthropic dialect.
    code: 'failed',
    holds: (text) => text.includes('Claude Code cannot be served here'),
    message: 'The ANTHROPIC_BASE_URL of the Claude CLI leads back to csp. Remove it from the environment.',
  },
  {
    // What a content filter blocks is the caller's own text: it must not count against the backend.
    code: 'invalid-request',
    holds: (text) => /content filter|usage polic|safety filter/i.test(text),
    message: 'The content filter of the Claude API blocked this request or its answer.',
  },
  {
    code: 'invalid-request',
    holds: (text, status) => status === 400 || status === 422 || /\binvalid_request_error\b/.test(text),
    message: 'The Claude API rejected this request as invalid. The debug log has its words.',
  },
  {
    code: 'unavailable',
    holds: (text, status) => status === 529 || status === 503 || /overloaded/i.test(text),
    message: 'The Claude API is overloaded.',
  },
  {
    code: 'unavailable',
    holds: (_text, status) => (status ?? 0) >= 500,
    message: 'The Claude API has failed.',
  },
  {
    code: 'unavailable',
    holds: (text) => networkFailure.test(text),
    message: 'The Claude API cannot be reached, or the connection to it broke.',
  },
  {
    code: 'unavailable',
    holds: (text) => /JSON Parse error|is not valid JSON|empty or malformed response/i.test(text),
    message: 'The server at the address of the Claude API is not the Claude API.',
  },
]

/** The CLI's messages for network failures, and the codes in them. */
const networkFailure =
  /stream ended without receiving|connection (?:was )?(?:error|dropped|lost|refused|reset|closed|to the API was lost)|unable to connect|timed? ?out|\((?:ECONN|EHOST|ENET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_)\w*\)/i

function statusIn(text: string): number | undefined {
  const match = /API Error:\s*(?:\w+\s+)?(\d{3})\b/.exec(text)
  return match ? Number(match[1]) : undefined
}

/**
 * The text may quote the CLI's environment or a caller's question, and this message reaches other callers, `/health` and
 * the log: only the cause keeps it, which the debug log shows.
 */
function unknownFailure(text: string): Omit<FailureKind, 'holds'> {
  const message = text.trim()
    ? 'Claude failed in a way that csp does not know. The debug log has its words.'
    : 'Claude failed without saying why.'
  return { code: 'failed', message }
}

/** Starts the process of a worker. Throws `unavailable` when the program cannot be started. */
export function startWorkerProcess(options: ProcessOptions): LineProcess {
  try {
    return startProcess(options)
  } catch (error) {
    throw new SearchError('unavailable', 'The Claude CLI cannot be started.', { cause: error })
  }
}

/** For a worker whose process has ended. */
export function endedFailure({ code, signal, stderr, reason }: Exit): SearchError {
  if (reason === 'line-too-long') return new SearchError('failed', 'Claude sent a line that is too long.')
  const how = signal ? `by ${signal}` : `with code ${code}`
  return new SearchError('unavailable', `The Claude worker ended ${how}.`, { cause: stderr })
}

/** For a running worker that does not answer. */
export function silentFailure(cause?: unknown): SearchError {
  return new SearchError('unavailable', 'The Claude worker does not answer.', { cause })
}

/** For a message of the model that breaks off when a part of it has been passed on. */
export function brokenOff(): SearchError {
  const message = 'The connection to the Claude API broke in the middle of the answer.'
  return new SearchError('unavailable', message, { cause: new BrokenOff(message) })
}

/** Whether the model's message broke off, in a CLI that works on. */
export function isBrokenOff(error: unknown): boolean {
  return error instanceof SearchError && error.cause instanceof BrokenOff
}

class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}

/** For tools of the caller that the CLI does not offer its model. */
export function missingTools(names: readonly string[]): SearchError {
  const forOthers = `Claude did not load ${counted(names.length, 'tool')} of the caller.`
  return new SearchError('failed', `Claude did not load these tools: ${names.join(', ')}.`, { forOthers })
}

/** For tools that the CLI offers its model unasked. */
export function unexpectedTools(names: readonly string[]): SearchError {
  const list = names.join(', ')
  const forOthers = 'Claude offers its model tools that csp did not ask for.'
  const message = `Claude offers its model tools that csp did not ask for: ${list}.`
  return new SearchError('unavailable', message, { cause: new UnexpectedTools(list), forOthers })
}

/** Whether the CLI offered its model tools unasked: another process of it would offer them too. */
export function hasUnexpectedTools(error: unknown): boolean {
  return error instanceof SearchError && error.cause instanceof UnexpectedTools
}

class UnexpectedTools extends Error {
  override readonly name = 'UnexpectedTools'
}
