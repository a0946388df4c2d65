import { BoundedMap } from '@csp/lib/bounded-map'
import { sha256 } from '@csp/lib/bytes'
import { z } from 'zod'

/** Stores what is learned about models. Its failures are noted, and harm no call. */
export interface CapabilityStore {
  /** The value that was set, unless it has expired; otherwise `null` or `undefined`. */
  get(key: string): unknown
  /** `ttl`: seconds. */
  set(key: string, value: unknown, options: { readonly ttl: number }): unknown
}

/** The knowledge about one model at one provider. */
export interface Capabilities {
  readonly baseUrl: string
  readonly model: string
  /**
   * The features that it refuses: parameters by name, `system-role`, `tool-role`, `images`, `earlier-thoughts` and others,
   * `max_tokens>N` if N tokens are the most that it writes, `context>N` if no more fit into its context, and `plain` if
   * it takes the plainest form only.
   */
  readonly refused: readonly string[]
  /** Until when `plain` counts, in milliseconds since 1970. */
  readonly plainUntil?: number | undefined
}

const schema = z.object({
  baseUrl: z.string(),
  model: z.string(),
  refused: z.array(z.string()).max(50),
  plainUntil: z.number().optional(),
})

/** Reads a value from a store; `undefined` for anything that is not `Capabilities`. */
export function readCapabilities(value: unknown): Capabilities | undefined {
  return schema.safeParse(value).data
}

/** The store of what was learned about models, and for how long it counts. */
export interface CapabilitiesOptions {
  readonly store?: CapabilityStore | undefined
  /** How long knowledge counts, in seconds; 7 days by default. A model that was changed is asked again then. */
  readonly ttlSeconds?: number | undefined
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined
}

/**
 * Learns the features that each model refuses from its errors, by base URL and model. Keeps them in memory, and in a
 * store if there is one. There are no lists of models.
 */
export class LearnedCapabilities {
  readonly #store: CapabilityStore | undefined
  readonly #ttlSeconds: number
  readonly #now: () => number
  readonly #known = new BoundedMap<string, Known>(maxKnown)

  constructor({ store, ttlSeconds = 604_800, now = Date.now }: CapabilitiesOptions = {}) {
    this.#store = store
    this.#ttlSeconds = ttlSeconds
    this.#now = now
  }

  /** The features that a model refuses; `undefined` when nothing is known. Throws what the store throws. */
  async refusedBy(baseUrl: string, model: string): Promise<readonly string[] | undefined> {
    const name = modelAt({ baseUrl, model })
    const known = this.#known.get(name)
    if (known && known.expiresAt > this.#now()) return this.#inForce(known)
    const kept = readCapabilities(await this.#store?.get(await capabilityKey(baseUrl, model)))
    if (kept?.baseUrl !== baseUrl || kept.model !== model) return undefined
    return this.#inForce(this.#remember(name, kept))
  }

  /** To be called when a request without these has succeeded. Throws what the store throws. */
  async learn({ baseUrl, model, refused }: Capabilities): Promise<void> {
    const known = this.#known.get(modelAt({ baseUrl, model }))
    const before = known && known.expiresAt > this.#now() ? known : undefined
    const all = [...new Set([...(before ? this.#inForce(before) : []), ...refused])]
    const isNew = all.includes(plain) && !(before && this.#inForce(before).includes(plain))
    const plainUntil = isNew ? this.#now() + plainMs : before?.plainUntil
    const value = { baseUrl, model, refused: all, ...(all.includes(plain) && { plainUntil }) }
    this.#remember(modelAt({ baseUrl, model }), value)
    await this.#store?.set(await capabilityKey(baseUrl, model), value, { ttl: this.#ttlSeconds })
  }

  #remember(name: string, { refused, plainUntil }: Pick<Capabilities, 'refused' | 'plainUntil'>): Known {
    const seconds = this.#store ? Math.min(this.#ttlSeconds, maxUncheckedSeconds) : this.#ttlSeconds
    const known = { refused, plainUntil, expiresAt: this.#now() + seconds * 1000 }
    this.#known.set(name, known)
    return known
  }

  /** A server that was updated may take more than the plainest form. */
  #inForce({ refused, plainUntil = 0 }: Known): readonly string[] {
    return plainUntil > this.#now() ? refused : refused.filter((feature) => feature !== plain)
  }
}

interface Known {
  readonly refused: readonly string[]
  readonly plainUntil?: number | undefined
  readonly expiresAt: number
}

/** The plainest form, and how long it counts. */
const plain = 'plain'
const plainMs = 3_600_000

/** What the store has may expire there, be forgotten there, or be learned by another process. */
const maxUncheckedSeconds = 300

/** The name of a model comes from callers. */
const maxKnown = 1000

/** A model at an address. */
export function modelAt({ baseUrl, model }: Pick<Capabilities, 'baseUrl' | 'model'>): string {
  return `${baseUrl} ${model}`
}

/** The key in the store, of characters that every store takes. */
export async function capabilityKey(baseUrl: string, model: string): Promise<string> {
  return `capabilities:${await sha256(modelAt({ baseUrl, model }))}`
}
