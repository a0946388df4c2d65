import { parseJson } from '@csp/lib/json'
import { decodeHTML } from 'entities'
import type { Document } from './tree/nodes.ts'

/** What the JSON-LD scripts of a page hold, also those that are slightly off; `maxScripts` at most. */
export function linkedData(document: Document): readonly unknown[] {
  return [...document.querySelectorAll('script[type*="ld+json" i]')]
    .slice(0, maxScripts)
    .map((script) => parseLinkedData(script.textContent ?? ''))
}

const maxScripts = 20

/**
 * JSON as pages write it: within a comment or CDATA, with line breaks in its texts, a comma or a semicolon too many, quotes
 * as entities. `undefined` where it is none even so.
 */
export function parseLinkedData(text: string): unknown {
  const known = parseJson(text)
  if (known !== undefined) return known
  const bare = text.replace(/<!\[CDATA\[|\]\]>|<!--|-->/g, '').replace(/\/\*\s{0,20}\*\/|^\s{0,100}\/\//gm, '')
  const mended = withoutCommas(bare.trim().replace(/;$/, ''))
  return parseJson(mended) ?? (text.includes('&quot;') ? parseJson(withoutCommas(decodeHTML(bare.trim()))) : undefined)
}

/** Without commas that end a list, and with the control characters of its texts escaped. */
function withoutCommas(json: string): string {
  return json.replace(textOrComma, (found) =>
    // Control characters, which JSON has as escapes only.
    found === ',' ? '' : found.replace(/[\0-\x1f]/g, ' '),
  )
}

const textOrComma = /"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[}\]])/g
