/**
 * Cleaned HTML whose text begins no formula in Markdown: there, a formula can take the first backtick of a page's code, so
 * that the code acts, or link by a command of its own. `asWritten` gives the signs back as entities, which no reader takes
 * for the beginning of one. `hasOwn`: the Markdown will have formulas, so that no other sign may begin one.
 */
export function withoutFormulas(html: string, hasOwn = false): string {
  const hasCode = /<(?:code|pre|kbd|samp)[\s>]|`/.test(html)
  const hasPair = html.indexOf('$') !== html.lastIndexOf('$')
  const hasEnd = html.includes('\\]')
  if (!html.includes('\\') && !(hasCode && hasPair) && !hasOwn) return html
  return html.replace(codeOrSign, (found) => {
    // A bracket is escaped in Markdown, and would begin a formula by that.
    if (found.endsWith('['))
      return hasCode && hasEnd ? found.replace('\\', signs['\\']).replace('[', signs['[']) : found
    if (found === '$') return hasOwn || (hasCode && hasPair) ? signs.$ : found
    return found.startsWith('\\') && (hasCode || /^\\[a-z]/.test(found)) ? signs['\\'] + found.slice(1) : found
  })
}

/** Markdown with the signs that `withoutFormulas` took out. */
export function asWritten(markdown: string): string {
  return withMarks(
    markdown.replaceAll(signs.$, '&#36;').replaceAll(signs['\\'], '&#92;').replaceAll(signs['['], '&#91;'),
  )
}

/** The same for text that is no Markdown. */
export function asPlain(text: string): string {
  return withMarks(text.replaceAll(signs.$, '$').replaceAll(signs['\\'], '\\').replaceAll(signs['['], '['))
}

/** With the marks of lists and callouts. */
function withMarks(text: string): string {
  return text.replace(tick, ticked).replace(callout, '[!$1] ')
}

/** Text of a page that begins no formula. */
export function withoutSigns(text: string): string {
  return text.replaceAll('$', signs.$).replaceAll('\\', signs['\\'])
}

/** Of the items of a list, in Markdown `[x]` and `[ ]`, which the library would escape. */
export const ticks = { done: '\uf7b1', open: '\uf7b0' } as const
/** Of a callout; the words behind it are text, since a bracket there would make a link of it. */
const callout = /\uf7b2([a-z]{2,20})\] ?(?!\()/g
const tick = /[\uf7b0\uf7b1] ?/g
/** Only before a space: behind `[x]` a bracket would make a link of it. */
const ticked = (found: string) => (found.length < 2 ? '' : found.startsWith(ticks.done) ? '[x] ' : '[ ] ')

/** Letters of the private use area. */
const signs = { $: '\uf724', '\\': '\uf75c', '[': '\uf75b' } as const

/** Code and tags, which stay, and what may begin a formula. */
const codeOrSign =
  /<(code|pre|kbd|samp)(?=[\s>])[\s\S]*?<\/\1>|<(?:[^>"]|"[^"]*")*>|[$[]|\\(?:[([]|(?:begin|ce|pu)\{|href|url|includegraphics|html)/g
