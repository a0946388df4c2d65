import type { JsonObject } from './json-schema.ts'

type Kind = 'headers' | 'parameters' | 'requestBodies' | 'responses' | 'schemas'

/** The parts of a document that several routes refer to. */
export class Components {
  readonly #parts = new Map<Kind, Map<string, JsonObject>>()
  readonly #made = new Map<string, JsonObject>()
  readonly #names = new Map<string, string>()

  /** A reference to a part, which is created at the first of them. */
  ref(kind: Kind, name: string, create: () => JsonObject): JsonObject {
    const parts = this.#parts.get(kind) ?? new Map<string, JsonObject>()
    this.#parts.set(kind, parts)
    if (!parts.has(name)) parts.set(name, create())
    return { $ref: `#/components/${kind}/${name}` }
  }

  /** A reference to a part that may stand here already under another name. */
  shared(kind: Kind, name: string, part: JsonObject): JsonObject {
    const text = `${kind} ${JSON.stringify(part)}`
    const free = this.#parts.get(kind)?.has(name) ? `${name}-${this.#names.size}` : name
    const known = this.#names.get(text) ?? free
    this.#names.set(text, known)
    return this.ref(kind, known, () => part)
  }

  /** A value that is made once for this document. */
  once(key: string, create: () => JsonObject): JsonObject {
    const known = this.#made.get(key) ?? create()
    this.#made.set(key, known)
    return known
  }

  toJSON(): JsonObject {
    return Object.fromEntries([...this.#parts].map(([kind, parts]) => [kind, Object.fromEntries(parts)]))
  }
}
