import { fromHex, toHex } from '@csp/lib/bytes'
import type { MessagesRequest } from '@csp/messages-api/request'

/**
 * The ids of calls, both ways. Many models number their calls again in each reply, in letters of their own
 * (`functions.Bash:0`); clients need letters, digits, `_` and `-`, and find a call by its id in the whole conversation. An id
 * that cannot pass goes out within one of csp's, from which `providerCallId` reads it again.
 */
export class CallIds {
  readonly #newId: () => string
  readonly #used: Set<string>

  /** `newId`: the random part of an id, of letters and digits. */
  constructor({ messages }: Pick<MessagesRequest, 'messages'>, newId: () => string) {
    this.#newId = newId
    this.#used = new Set(messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.flatMap(idsIn))))
  }

  /** The caller's id of a call that the provider gave this one, or none. */
  toCaller(id?: string): string {
    const own = id === undefined || id.length > maxLength ? `toolu_${this.#newId()}` : this.#passed(id)
    this.#used.add(own)
    return own
  }

  #passed(id: string): string {
    if (accepted.test(id) && !within.test(id) && !this.#used.has(id)) return id
    return `toolu_csp${this.#newId()}_${toHex(new TextEncoder().encode(id))}`
  }
}

/** The provider's id of a call: some models read it, and number their next calls by it. */
export function providerCallId(id: string): string {
  const hex = within.exec(id)?.[1]
  return hex === undefined ? id : new TextDecoder().decode(fromHex(hex))
}

const accepted = /^[\w-]{1,200}$/
const within = /^toolu_csp[\da-zA-Z]{1,64}_((?:[\da-f]{2}){1,800})$/
const maxLength = 200

/** A search of csp's own has the id of its call within its own. */
function idsIn({ id, tool_use_id }: { readonly [field: string]: unknown }): readonly string[] {
  return [id, tool_use_id].flatMap((value) =>
    typeof value === 'string' ? [value, value.replace(/^srvtoolu_\d+_/, '')] : [],
  )
}
