import { joinBytes } from '@csp/lib/bytes'
import { parseUrl } from '@csp/lib/url'
import { PageError } from '../page-error.ts'
import type { NamedForm } from '../sites/sites.ts'
import type { FetchReply } from './fetch-page.ts'

/** Fetches an address with any status. */
export type FetchAddress = (address: string, signal: AbortSignal) => Promise<FetchReply>

/** Fetches the forms of pages. A host that wants a pause gets it. */
export class FormFetcher {
  readonly #check: (reply: FetchReply) => void
  /** When a host may be asked again, in ms since 1970. */
  readonly #pauses = new Map<string, number>()

  /** `check` throws when a status is that of a failure. */
  constructor(check: (reply: FetchReply) => void) {
    this.#check = check
  }

  /**
   * Fetches all addresses of a form. For a form that its site reads, the body is a list of JSON. Throws if one of them
   * fails.
   */
  async fetch({ addresses, site }: NamedForm, fetch: FetchAddress, signal: AbortSignal): Promise<FetchReply> {
    const own = new AbortController()
    const both = AbortSignal.any([signal, own.signal])
    try {
      const replies = await Promise.all(addresses.map((address) => this.#ask(address, site !== undefined, fetch, both)))
      const [first] = replies
      if (!first) throw new PageError('failed', 'The form of the page has no address.')
      return site ? { ...first, body: listOf(replies.map(({ body }) => body)) } : first
    } finally {
      own.abort()
    }
  }

  async #ask(address: string, isJson: boolean, fetch: FetchAddress, signal: AbortSignal): Promise<FetchReply> {
    const host = parseUrl(address)?.host ?? ''
    if (Date.now() < (this.#pauses.get(host) ?? 0)) throw new PageError('busy', `${host} accepts no requests now.`)
    const reply = await fetch(address, signal)
    const seconds = pauseOf(reply, isJson)
    if (seconds > 0) this.#pauses.set(host, Date.now() + Math.min(seconds, maxPauseSeconds) * 1000)
    this.#check(reply)
    return reply
  }
}

const maxPauseSeconds = 86_400

/** How long a host is left alone after a reply: most say it in headers, Stack Exchange at the end of its JSON. */
function pauseOf({ status, headers, body }: FetchReply, isJson: boolean): number {
  const isFailure = status >= 400 && status !== 404 && status !== 410
  // A string in JSON has a backslash before each of these quotation marks; only what the host writes has none.
  const end = isJson ? new TextDecoder().decode(body.subarray(-tailBytes)) : ''
  const said = isFailure ? /available in (\d{1,6}) seconds/ : /"backoff":(\d{1,6})/
  const seconds = Number(headers['retry-after'] ?? said.exec(end)?.[1])
  if (seconds > 0) return seconds
  if (headers['x-ratelimit-remaining'] === '0')
    return Number(headers['x-ratelimit-reset']) - Date.now() / 1000 || usualSeconds
  if (/"quota_remaining":0\b/.test(end)) return quotaSeconds
  return isFailure ? usualSeconds : 0
}

const tailBytes = 300
const usualSeconds = 60
/** A daily quota ends at midnight in UTC. */
const quotaSeconds = 3600

function listOf(bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const written = (sign: string): Uint8Array => new TextEncoder().encode(sign)
  return joinBytes([...bodies.flatMap((body, index) => [written(index > 0 ? ',' : '['), body]), written(']')])
}
