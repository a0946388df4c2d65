// Requests to this csp, with the key of this tab or device.

const keyName = 'csp-key'

export function storedKey(): string | null {
  return sessionStorage.getItem(keyName) ?? localStorage.getItem(keyName)
}

/** `isRemembered`: on this device, beyond this tab. */
export function storeKey(key: string | null, isRemembered = false): void {
  sessionStorage.removeItem(keyName)
  localStorage.removeItem(keyName)
  if (key) (isRemembered ? localStorage : sessionStorage).setItem(keyName, key)
}

/** Takes a key from the fragment of the address, which no server sees, and removes it from there. */
export function takeKeyFromAddress(): void {
  const fragment = new URLSearchParams(location.hash.slice(1))
  const key = fragment.get('key')
  if (key === null) return
  const isRemembered = fragment.get('remember') === 'on'
  fragment.delete('key')
  fragment.delete('remember')
  history.replaceState(null, '', `#${fragment}`)
  if (isKey(key) && mayReplace(key)) storeKey(key, isRemembered)
}

/**
 * Anybody can write a link with a key of their own, and would then read the questions of who follows it: a key that is
 * stored already makes way for no other without a word.
 */
function mayReplace(key: string): boolean {
  const stored = [sessionStorage, localStorage].map((storage) => storage.getItem(keyName))
  if (stored.every((one) => one === null || one === key)) return true
  return confirm(
    'This link brings a key for csp, and another key is stored in this browser already. ' +
      'Replace the stored key with that of the link? Whoever made the link can then see what you ask.',
  )
}

/** A header has room for these letters alone. */
export function isKey(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text)
}

/** The address of this csp, without a slash at the end. */
export function ownAddress(): string {
  return new URL('.', location.href).href.replace(/\/$/, '')
}

/** A reply that is no success, or none at all. */
export class CallError extends Error {
  /** 0: there was no reply. */
  readonly status: number
  /** The type in csp's error, such as `signed_out`. */
  readonly kind: string | undefined
  /** When another try may succeed, in ISO 8601. */
  readonly retryAt: string | undefined

  constructor(status: number, message: string, kind?: string, retryAt?: string) {
    super(message)
    this.status = status
    this.kind = kind
    this.retryAt = retryAt
  }
}

interface Init extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export async function call(path: string, init: Init = {}): Promise<Response> {
  const key = storedKey()
  // A browser at an address of plain http names no site: this header, which other sites cannot send, shows that it is ours.
  const own = { accept: 'application/json', 'x-requested-with': 'csp' }
  const headers = { ...init.headers, ...own, ...(key && { authorization: `Bearer ${key}` }) }
  try {
    // No `cache: 'no-store'`: it would send a header that asks csp to search again.
    return await fetch(`${ownAddress()}/${path}`, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new CallError(0, `csp does not answer at ${ownAddress()}.`)
  }
}

/** The JSON of a reply; throws a `CallError` where it is no success. The caller says what it is. */
export async function json<T>(path: string, init: Init = {}): Promise<T> {
  const reply = await call(path, init)
  if (!reply.ok) throw await failureOf(reply)
  return reply.json()
}

export interface StreamOptions {
  /** Past the cache of answers. */
  readonly isFresh?: boolean | undefined
  readonly onReply?: ((reply: Response) => void) | undefined
}

/** Yields the JSON of each server-sent event, until `[DONE]`. Throws a `CallError` for an error, in whichever way it comes. */
export async function* stream<T>(
  path: string,
  body: unknown,
  signal: AbortSignal,
  { isFresh = false, onReply }: StreamOptions = {},
): AsyncGenerator<T> {
  const headers = isFresh ? { 'cache-control': 'no-cache' } : undefined
  const response = await call(path, { method: 'POST', body: JSON.stringify(body), signal, headers })
  if (!response.ok) throw await failureOf(response)
  onReply?.(response)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let buffer = ''
  for (;;) {
    const read = reader?.read().catch((error) => {
      if (signal.aborted) throw error
      // Browsers say of it no more than that the network failed, each in its own words.
      throw new CallError(0, 'The connection to csp was lost.', 'lost')
    })
    const { done, value } = (await read) ?? { done: true, value: undefined }
    if (done) break
    const events = (buffer + value).split('\n\n')
    buffer = events.pop() ?? ''
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n')
      if (data === '[DONE]') return
      if (!data) continue
      const chunk = JSON.parse(data)
      if (chunk.error) throw errorOf(Number(chunk.error.code), chunk)
      yield chunk
    }
  }
  throw new CallError(0, 'The answer broke off.', 'lost')
}

export async function failureOf(response: Response): Promise<CallError> {
  const body = await response.json().catch(() => undefined)
  return errorOf(response.status, body, response.headers.get('x-csp-retry-at') ?? undefined)
}

interface ErrorBody {
  readonly error?: { readonly message?: unknown; readonly type?: string }
  readonly message?: unknown
}

function errorOf(status: number, body: ErrorBody | undefined, retryAt?: string): CallError {
  const message = body?.error?.message ?? body?.message
  const text = typeof message === 'string' ? message : `csp answered with status ${status}.`
  return new CallError(status, text, body?.error?.type, retryAt)
}

/** What an error says, whatever it is. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
