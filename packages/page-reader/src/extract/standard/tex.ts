import { mayHideAddress } from '@csp/lib/addresses'

/**
 * Around the TeX of a formula in a document, until the document is text: letters of the private use area. A page may write
 * them itself; what is between them is then looked at like any other formula.
 */
export const texMarks = { inline: '\uf7a2', display: '\uf7a4', end: '\uf7a3' } as const

/** TeX as a formula of a Markdown text, or undefined where a reader of that might act on it. */
export function plainTex(tex: string): string | undefined {
  if (tex.length > maxTex) return undefined
  const plain = tex
    .replace(/\\label\s?\{[^{}]{0,100}\}/g, '')
    .replace(/(?:^|[^\\])%[^\n]{0,300}(?=\n|$)/g, '')
    .replace(/[\uf700-\uf7ff]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/<(?! )/g, '< ')
    .trim()
  if (plain === '' || live.test(plain) || acting.test(plain) || mayHideAddress(plain)) return undefined
  return plain
}

const maxTex = 2000

/** What ends a formula, or begins something else where a reader knows no formulas. */
const live = /[`$@]|\]\s?[([:]|\/\/|www\.|\w:[^\s\\{}=]|\\$/i

/** Commands that link, load, run, or name a command anew. */
const acting =
  /\\(?:href|url|html|include|style|class|cssid|bbox|mml|require|[gex]?def|let|future|(?:re|provide)?newcommand|renew|declare|newenv|unicode|char|input|open|write|special|csname|catcode|data|text?tip|mathtip|tooltip|toggle|verb|loop|every|the(?![a-z])|expandafter)/i

/** HTML whose formulas are numbers, and the formulas. */
export function withHeldTex(html: string): { readonly html: string; readonly formulas: readonly string[] } {
  if (!html.includes(texMarks.end)) return { html, formulas: [] }
  const formulas: string[] = []
  const held = html.replace(marked, (_, mark: string, inner: string) => {
    const tex = plainTex(decoded(inner))
    if (tex === undefined) return inner
    formulas.push(mark === texMarks.display ? `$$${tex}$$` : `$${tex}$`)
    return `${texMarks.inline}${formulas.length - 1}${texMarks.end}`
  })
  return { html: held, formulas }
}

const marked = /([\uf7a2\uf7a4])([^\uf7a2-\uf7a4<]{1,8000})\uf7a3/g

function decoded(html: string): string {
  return html.replace(/&(lt|gt|amp|quot|#160|nbsp);/g, (all, name: string) => entities[name] ?? all)
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: ' ', '#160': ' ' }

/** Text with the formulas in the places of their numbers. In the row of a table no sign may end its cell. */
export function withTex(text: string, formulas: readonly string[]): string {
  if (!anyMark.test(text)) return text
  const lines = text.split('\n').map((line) => {
    const isRow = /^[\s>]{0,20}\|/.test(line)
    return line.replace(numbered, (_, number: string) => {
      const formula = formulas[Number(number)] ?? ''
      return isRow ? formula.replace(/\\?\|/g, (bar) => (bar === '|' ? '\\vert ' : '\\Vert ')) : formula
    })
  })
  return lines.join('\n').replace(marks, '')
}

const numbered = /\uf7a2(\d{1,6})\uf7a3/g
const anyMark = /[\uf7a2-\uf7a4]/
const marks = /[\uf7a2-\uf7a4]/g

/** The same for text that was never HTML, and is not shown. */
export function withRoughTex(text: string): string {
  if (!anyMark.test(text)) return text
  return text.replace(marked, (_, __, inner: string) => `$${inner}$`).replace(marks, '')
}
