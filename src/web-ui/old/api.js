// Requests to this csp, with the key of this tab or device.

const keyName = 'csp-key'

export function storedKey() {
  return sessionStorage.getItem(keyName) ?? localStorage.getItem(keyName)
}

/**
 * @param {string | null} key
 * @param {boolean} isRemembered on this device, beyond this tab
 */
export function storeKey(key, isRemembered = false) {
  sessionStorage.removeItem(keyName)
  localStorage.removeItem(keyName)
  if (key) (isRemembered ? localStorage : sessionStorage).setItem(keyName, key)
}

/** Takes a key from the fragment of the address, which no server sees, and removes it from there. */
export function takeKeyFromAddress() {
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
 * @param {string} key
 */
function mayReplace(key) {
  const stored = [sessionStorage, localStorage].map((storage) => storage.getItem(keyName))
  if (stored.every((one) => one === null || one === key)) return true
  return confirm(
    'This link brings a key for csp, and another key is stored in this browser already. ' +
      'Replace the stored key with that of the link? Whoever made the link can then see what you ask.',
  )
}

/**
 * A header has room for these letters alone.
 * @param {string} text
 */
export function isKey(text) {
  return /^[\x21-\x7e]{1,4096}$/.test(text)
}

/** The address of this csp, without a slash at the end. */
export function ownAddress() {
  return new URL('.', location.href).href.replace(/\/$/, '')
}

/** A reply that is no success, or none at all; `advice` says what to do. */
export class CallError extends Error {
  /**
   * @param {number} status 0: there was no reply
   * @param {string} message
   * @param {string} advice
   * @param {string} [kind] the type in csp's error, such as `signed_out`
   */
  constructor(status, message, advice, kind) {
    super(message)
    this.status = status
    this.advice = advice
    this.kind = kind
  }
}

/**
 * @param {string} path
 * @param {Omit<RequestInit, 'headers'> & {headers?: Record<string, string> | undefined}} init
 */
export async function call(path, init = {}) {
  const key = storedKey()
  // A browser at an address of plain http names no site: this header, which other sites cannot send, shows that it is ours.
  const own = { accept: 'application/json', 'x-requested-with': 'csp' }
  const headers = { ...init.headers, ...own, ...(key && { authorization: `Bearer ${key}` }) }
  try {
    // No `cache: 'no-store'`: it would send a header that asks csp to search again.
    return await fetch(`${ownAddress()}/${path}`, { ...init, headers })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new CallError(0, `csp does not answer at ${ownAddress()}.`, 'Start it with csp serve, then try again.')
  }
}

/**
 * Yields the JSON of each server-sent event, until `[DONE]`. Throws a `CallError` for an error, in whichever way it comes.
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @param {{isFresh?: boolean, onReply?: (reply: Response) => void}} options `isFresh`: past the cache of answers
 */
export async function* stream(path, body, signal, { isFresh = false, onReply } = {}) {
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
      throw new CallError(0, 'The connection to csp was lost.', 'See whether csp still runs, then search again.')
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
  throw new CallError(0, 'The answer broke off.', 'Search again.')
}

/** @param {Response} response */
export async function failureOf(response) {
  const body = await response.json().catch(() => undefined)
  return errorOf(response.status, body)
}

/**
 * @param {number} status
 * @param {any} body
 */
function errorOf(status, body) {
  const message = body?.error?.message ?? body?.message
  return new CallError(
    status,
    typeof message === 'string' ? message : `csp answered with status ${status}.`,
    advices[status] ?? 'Try again. The log of csp says more.',
    body?.error?.type,
  )
}

/** @type {Record<number, string>} */
const advices = {
  401: 'Enter a key of this csp above.',
  403: 'Open this page by its address on the machine that csp runs on, or with a key.',
  400: '',
  422: '',
  429: '',
  502: 'If searching again fails too, run csp doctor.',
  503: '',
  504: 'A longer --timeout of csp would wait longer.',
}
