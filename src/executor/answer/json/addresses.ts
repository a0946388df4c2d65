import { percentDecoded } from '@csp/lib/url'
import { decodeHTML } from 'entities'
import type { JsonSchema } from '../../../domain/search.ts'

/** Whether the strings under a name are addresses to a reader of the JSON: by that name, or by the schema. */
export class AddressNames {
  /** Whether strings that stand under no name, as in a list of addresses, are some. */
  readonly ofRoot: boolean
  readonly #names = new Set<string>()
  readonly #schema: JsonSchema
  /** What the references that were followed have. */
  readonly #references = new Map<string, boolean>()

  constructor(schema: JsonSchema = {}) {
    this.#schema = schema
    this.ofRoot = this.#collect(schema)
  }

  has(name: string): boolean {
    return this.#names.has(name) || addressName.test(name)
  }

  /** Notes the names of strings that are addresses. Returns whether a part has such strings of no name. */
  #collect(part: unknown): boolean {
    if (typeof part !== 'object' || part === null) return false
    const { format }: { format?: unknown } = part
    let found = typeof format === 'string' && addressFormat.test(format)
    for (const [keyword, inner] of Object.entries(part)) {
      if (keyword === '$ref' && typeof inner === 'string') found = this.#follow(inner) || found
      else if (keyword === 'properties') {
        for (const [name, schema] of Object.entries(inner ?? {})) if (this.#collect(schema)) this.#names.add(name)
      } else if (keyword !== '$defs' && keyword !== 'definitions' && this.#collect(inner)) found = true
    }
    return found
  }

  #follow(reference: string): boolean {
    const known = this.#references.get(reference)
    if (known !== undefined || !reference.startsWith('#')) return known ?? false
    this.#references.set(reference, false)
    let part: unknown = this.#schema
    for (const key of reference.split('/').slice(1)) {
      const name = percentDecoded(key).replaceAll('~1', '/').replaceAll('~0', '~')
      part = Object.getOwnPropertyDescriptor(part ?? {}, name)?.value
    }
    const found = this.#collect(part)
    this.#references.set(reference, found)
    return found
  }
}

const addressFormat = /^(?:ur[il]|iri)(?:-reference)?$/i
const addressName =
  /(?:^|[^a-z])(?:url|uri|href|src|link|permalink|website|homepage|web_?page)s?$|[a-z](?:U(?:rl|RL|ri|RI)|Href|HREF|Src|Link|Website|Homepage|WebPage)s?$|^(?:URL|URI|URLS|Url|Link|Website|Homepage)s?$/

/**
 * The addresses in a text that is read as Markdown with HTML: those of links, images, definitions, autolinks and attributes,
 * and what stands behind `//` alone. Each as it is written, and as a parser reads it.
 */
export function* jsonAddressesIn(text: string): Generator<{ readonly written: string; readonly read: string }> {
  for (const match of text.matchAll(markedAddress)) {
    const written = match.slice(1).join('') // one of them matched
    yield { written, read: decodeHTML(written.replace(/\\([!-/:-@[-`{-~])/g, '$1')) }
  }
}

const markedAddress = new RegExp(
  [
    String.raw`(?:\]\(\s*<?|\]:\s*<?)([^\s()<>]+)`,
    String.raw`<([a-z][a-z\d+.-]+:[^\s<>]*)>`,
    String.raw`[\s"'/](?:href|src|srcset|action|formaction|poster|background|data)\s*=\s*["']?([^\s"'<>]+)`,
    String.raw`\burl\(\s*["']?([^\s"'()]+)`,
    String.raw`(?<![\w:/])(//[\w-]+\.[^\s<>"'()]+)`,
  ].join('|'),
  'gi',
)
