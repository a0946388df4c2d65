import { mayHideAddress } from '@csp/lib/addresses'

/**
 * Whether a client that renders a fence of this language may load, link or run something for it. Such a fence leaves
 * without its language, so that clients show it as text.
 */
export function isActiveFence(language: string, content: string): boolean {
  const name = language.toLowerCase()
  if (formulas.has(name)) return false // the guard parts the commands that act
  return mayHideAddress(content) || (builders[name] ?? loads).test(content)
}

/** A longer fence leaves without its language: nobody waits for it. In characters. */
export const maxActiveFence = 8000

const formulas: ReadonlySet<string> = new Set(['math', 'latex', 'tex', 'katex', 'asciimath', 'mathjax', 'chem'])

/** What loads in the languages of diagrams, whatever its address looks like. */
const loads = /\burl\s*\(|@import\b/i

/** Languages that can build an address out of parts, and how that shows: one line each. */
const builders: Readonly<Record<string, RegExp>> = {
  vega: /["']?\b(?:url|href)["']?\s*:/i,
  'vega-lite': /["']?\b(?:url|href)["']?\s*:/i,
  vegalite: /["']?\b(?:url|href)["']?\s*:/i,
  echarts: /\bfunction\b|=>|`|["']\s*\+|\+\s*["']|\burl\s*\(|@import\b/i,
  chart: /\bfunction\b|=>|`|["']\s*\+|\+\s*["']/i,
  plotly: /\bfunction\b|=>|`|["']\s*\+|\+\s*["']/i,
  plantuml: /^[ \t]*!|%\w+\s*\(/m,
  puml: /^[ \t]*!|%\w+\s*\(/m,
  d2: /\$\{|\burl\s*\(/i,
}
