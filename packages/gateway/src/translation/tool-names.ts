import { hashOf } from '../hash.ts'

/**
 * Names of tools, both ways. Providers take 64 characters of a small alphabet; the names of MCP tools can be longer. Such a
 * name gets a short one, the same in every request, and the caller sees its own again.
 */
export class ToolNames {
  readonly #own = new Map<string, string>()

  toProvider(name: string): string {
    if (accepted.test(name)) return name
    const short = `${name.replace(/[^\w-]/g, '_').slice(0, maxLength - 9)}_${hashOf(name).toString(16).padStart(8, '0')}`
    this.#own.set(short, name)
    return short
  }

  fromProvider(name: string): string {
    return this.#own.get(name) ?? name
  }
}

const maxLength = 64
const accepted = /^[\w-]{1,64}$/
