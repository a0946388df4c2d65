import { addressesIn } from '@csp/lib/addresses'
import { parseUrl } from '@csp/lib/url'
import type { MessagesRequest } from '@csp/messages-api/request'

/**
 * The addresses in a conversation that its model has from others: from the user, from results of tools, from what was found.
 * What the model wrote does not count: it could have put anything into an address.
 */
export class KnownAddresses {
  readonly #addresses = new Set<string>()
  /** Values that are read when somebody asks. */
  #unread: unknown[]

  constructor({ system, messages }: MessagesRequest) {
    this.#unread = [system, ...messages.filter(({ role }) => role !== 'assistant').map(({ content }) => content)]
  }

  add(text: string): void {
    this.#unread.push(text)
  }

  has(url: string): boolean {
    for (const text of textsIn(this.#unread)) {
      // JSON within a text has escapes.
      for (const address of addressesIn(text.replaceAll('\\/', '/').replaceAll('\\', ' '))) {
        this.#addresses.add(keyOf(address) ?? '')
      }
    }
    this.#unread = []
    const key = keyOf(url)
    return key !== undefined && this.#addresses.has(key)
  }
}

/** Without a fragment, which is not sent. */
function keyOf(address: string): string | undefined {
  const url = parseUrl(address)
  if (!url) return undefined
  url.hash = ''
  return url.href
}

/** All texts in a value. A loop, since what is nested deeply would overflow the stack. */
function* textsIn(value: unknown): Generator<string, void, undefined> {
  const waiting = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'string') yield next
    else if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) waiting.push(inner)
  }
}
