import { raced } from './abort.ts'
import { Alarm } from './alarm.ts'
import { attended } from './attended.ts'
import { readLimited } from './bytes.ts'
import { withoutSecret } from './secret.ts'
import { TurnClock } from './turn-clock.ts'
import { parseUrl } from './url.ts'

/** The kind of failure of a call, for each caller to put into its own words. */
export type HttpFailureKind =
  | 'aborted' // by the caller's signal
  | 'unreachable' // there was no reply
  | 'timeout' // the deadline has passed
  | 'strayed' // a redirect that is not followed; the message says where it leads
  | 'too-long' // more than the call reads
  | 'silent' // a body that has begun brings nothing for too long
  | 'broken' // the connection was lost in the middle of the body

/** The only error of a call, apart from the caller's own explanation of an unsuccessful reply. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure'
  readonly kind: HttpFailureKind
  /** The status of the redirect. */
  readonly status: number | undefined

  constructor(kind: HttpFailureKind, options: { message?: string; status?: number; cause?: unknown } = {}) {
    super(options.message ?? kind, { cause: options.cause })
    this.kind = kind
    this.status = options.status
  }
}

/** Sends a request; by default the runtime's own `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A request to a server, and the time that its reply may take. */
export interface HttpCall {
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  /** Sent by POST. Absent: GET. */
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  readonly signal: AbortSignal
  /** For the head of a reply whose body is streamed, and for the whole of any other. */
  readonly deadlineMs: number
  /** Waits until this call may start, which is part of its time. */
  readonly start?: ((signal: AbortSignal) => Promise<void>) | undefined
  readonly fetch?: Fetch | undefined
}

/** A whole reply. The text of an unsuccessful one holds none of the keys that were sent: some servers repeat them. */
export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Waits for the whole reply, whatever its status. */
export async function askWhole(call: HttpCall, maxBytes: number): Promise<HttpReply> {
  return within(call, async (signal) => {
    const response = await send(call, signal)
    const text = await readLimited(response, maxBytes)
    if (text === undefined) throw new HttpFailure('too-long')
    return replyOf(call, response, text)
  })
}

/**
 * Resolves with a successful reply whose body is unread, for `pieces`. Any other is passed to `explain` with as much of
 * its text as can be read, and the error that it returns is thrown.
 */
export async function openReply(call: HttpCall, explain: (reply: HttpReply) => Error): Promise<Response> {
  const response = await within(call, (signal) => send(call, signal))
  if (response.ok) return response
  const text = await within(call, () => readLimited(response, maxErrorBytes)).catch(() => undefined)
  if (call.signal.aborted) throw new HttpFailure('aborted', { cause: call.signal.reason })
  throw explain(replyOf(call, response, text ?? ''))
}

const maxErrorBytes = 256_000

/** The limits of a body that is read in pieces. */
export interface PieceLimits {
  readonly signal: AbortSignal
  /** How long the body may bring nothing, asked again before each piece; the time that the consumer takes does not count. */
  readonly silenceMs?: (() => number) | undefined
  readonly maxBytes?: number | undefined
}

/**
 * The bytes of a body as they come. Throws a `HttpFailure` when it does not reach its end. Settles when the source of the
 * body has been released, which an abort does at once.
 */
export function pieces(
  body: ReadableStream<Uint8Array>,
  { signal, silenceMs, maxBytes = Number.POSITIVE_INFINITY }: PieceLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  return attended<Uint8Array>(() => {
    const reader = body.getReader()
    const alarm = new Alarm()
    let isWaiting = false
    let isSilent = false
    let bytes = 0
    const turns = new TurnClock()
    /** The part of what came at once that is still to be passed on. */
    let rest: Uint8Array | undefined
    let released: Promise<void> | undefined
    const release = () => {
      released ??= reader.cancel(signal.reason).catch(() => {})
    }
    const onSilence = () => {
      isSilent = isWaiting
      if (isSilent) release()
    }
    signal.addEventListener('abort', release)
    if (signal.aborted) release()

    function next(): Promise<IteratorResult<Uint8Array, void>> {
      return turns.rest()?.then(read) ?? read()
    }

    function read(): Promise<IteratorResult<Uint8Array, void>> {
      if (rest) return Promise.resolve(rest).then(cut)
      isWaiting = true
      if (silenceMs) alarm.set(silenceMs(), onSilence)
      return reader.read().then(pass)
    }

    function cut(value: Uint8Array): IteratorResult<Uint8Array, void> {
      if (signal.aborted) throw new HttpFailure('aborted', { cause: signal.reason })
      rest = value.byteLength > maxPiece ? value.subarray(maxPiece) : undefined
      return { done: false, value: rest ? value.subarray(0, maxPiece) : value }
    }

    // The types of a reader's step differ among runtimes.
    function pass({ value }: { readonly value?: Uint8Array | undefined }): IteratorResult<Uint8Array, void> {
      isWaiting = false
      // Releasing the body ends it.
      if (signal.aborted) throw new HttpFailure('aborted', { cause: signal.reason })
      if (isSilent) throw new HttpFailure('silent')
      if (value === undefined) return { done: true, value }
      bytes += value.byteLength
      if (bytes > maxBytes) throw new HttpFailure('too-long')
      return cut(value)
    }

    return {
      items: { [Symbol.asyncIterator]: () => ({ next }) },
      onEnd() {
        alarm.stop()
        signal.removeEventListener('abort', release)
        release()
        return released
      },
      failure(error) {
        if (error instanceof HttpFailure) return error
        return new HttpFailure(signal.aborted ? 'aborted' : 'broken', { cause: error })
      },
    }
  })
}

/** A server may send megabytes of small events at once. */
const maxPiece = 8 * 1024

/** The whole text of a body, within the limits of its pieces. */
export async function bodyText({ body }: Response, limits: PieceLimits): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ? pieces(body, limits) : []) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

/** Sends a request. Keys go to one server alone: a redirect is followed only within its origin, and never by a POST. */
async function send(
  { url, headers = {}, body, start, fetch: given }: HttpCall,
  signal: AbortSignal,
): Promise<Response> {
  await start?.(signal)
  const send = given ?? fetch
  const request = body === undefined ? { method: 'GET' } : { method: 'POST', body }
  const init: RequestInit = { ...request, headers, redirect: 'manual', signal }
  let at = url
  for (let hops = 0; ; hops++) {
    const response = await send(at.href, init)
    const { status } = response
    const target = response.headers.get('location')
    if (status < 300 || status >= 400 || target === null) return response
    await response.body?.cancel()
    if (hops === maxHops) throw new HttpFailure('strayed', { message: 'redirects without end.', status })
    const next = parseUrl(target, at)
    if (next?.origin !== url.origin || body !== undefined) {
      const where = next ? next.origin : 'somewhere else'
      const message = `sends csp on to ${where}, and it does not follow. Is the address right?`
      throw new HttpFailure('strayed', { message, status })
    }
    at = next
  }
}

const maxHops = 3

function replyOf({ headers = {} }: HttpCall, { ok, status, headers: own }: Response, text: string): HttpReply {
  const secrets = Object.entries(headers).filter(([name]) => /key|token|^authorization$/.test(name))
  const shown = secrets.reduce((rest, [, value]) => withoutSecret(rest, value.replace(/^Bearer /, '')), text)
  return { status, headers: own, text: ok ? text : shown }
}

/** Limits the time of the work, and distinguishes its failures. */
async function within<Value>(
  { signal: caller, deadlineMs }: HttpCall,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), deadlineMs)
  const signal = AbortSignal.any([caller, deadline.signal])
  try {
    signal.throwIfAborted()
    return await raced(work(signal), signal)
  } catch (cause) {
    if (caller.aborted) throw new HttpFailure('aborted', { cause: caller.reason })
    if (deadline.signal.aborted) throw new HttpFailure('timeout', { cause })
    throw cause instanceof HttpFailure ? cause : new HttpFailure('unreachable', { cause })
  } finally {
    clearTimeout(timer)
  }
}
