import { parseUrl } from '@csp/lib/url'
import { decodeHTML } from 'entities'
import { Marked, type MarkedExtension, type Token } from 'marked'
import { Marked as Marked9 } from 'marked-9'
import katex from 'marked-katex-extension'
import { Converter } from 'showdown'
import type { Live, Reading, Rendered } from './live.ts'

/** The delimiters of formulas that Open WebUI knows besides dollars. */
const delimiters = [
  ['\\$\\$', '\\$\\$'],
  ['\\$', '\\$'],
  ['\\\\pu\\{', '\\}'],
  ['\\\\ce\\{', '\\}'],
  ['\\\\\\(', '\\\\\\)'],
  ['\\\\\\[', '\\\\\\]'],
  ['\\\\begin\\{equation\\}', '\\\\end\\{equation\\}'],
] as const
const within = String.raw`((?:\\[^]|[^\\])+?)`
const inlineFormula = new RegExp(`^(?:${delimiters.map(([open, close]) => open + within + close).join('|')})`)
const blockFormula = new RegExp(`^(?:${delimiters.map(([open, close]) => `${open}\n${within}\n${close}`).join('|')})`)
const formulaStart = /\$|\\(?:[([]|pu\{|ce\{|begin\{equation\})/

const formulas: MarkedExtension = {
  extensions: (['inline', 'block'] as const).map((level) => ({
    name: `${level}Formula`,
    level,
    start: (src: string) => formulaStart.exec(src)?.index,
    tokenizer(src: string) {
      const found = (level === 'inline' ? inlineFormula : blockFormula).exec(src)
      return found ? { type: `${level}Formula`, raw: found[0], text: found[0] } : undefined
    },
    renderer: ({ raw }) => raw,
  })),
}

const plain = new Marked({ gfm: true })
const withFormulas = new Marked({ gfm: true }).use(formulas)
const withDollars = new Marked({ gfm: true }).use(katex({ nonStandard: true }))
const old = new Marked9({ gfm: true })
const oldWithDollars = new Marked9({ gfm: true })
oldWithDollars.use(katex() as Parameters<typeof oldWithDollars.use>[0])
const oldWithFormulas = new Marked9({ gfm: true })
oldWithFormulas.use(formulas as Parameters<typeof oldWithFormulas.use>[0])

interface Lexer {
  lexer(text: string): Token[]
  walkTokens(tokens: Token[], visit: (token: Token) => void): unknown
}

/** Each by a name. Those with formulas and dollars read a text without such signs as the others do. */
const markeds: readonly (readonly [string, Lexer])[] = [
  ['marked', plain],
  ['marked with formulas', withFormulas],
  ['marked with dollars', withDollars],
  ['marked 9', old as unknown as Lexer],
  ['marked 9 with dollars', oldWithDollars as unknown as Lexer],
  ['marked 9 with formulas', oldWithFormulas as unknown as Lexer],
]

export const readByMarked = markeds.map(([reader, marked]) => (text: string): Reading => {
  const live: Live[] = []
  const rendered: Rendered[] = []
  if (reader.includes(' with ') && !formulaStart.test(text)) return { live, rendered }
  marked.walkTokens(marked.lexer(text), (token) => {
    const { type, raw } = token
    const words = String('text' in token ? token.text : '')
    if (type === 'html') live.push({ reader, type, target: raw })
    if (type === 'image') live.push({ reader, type, target: String(token['href']) })
    if (type === 'link')
      live.push({ reader, type, target: String(token['href']), shown: raw === words ? raw : undefined })
    if (type === 'code')
      rendered.push({ reader, language: String(token['lang'] ?? '').split(/\s/)[0] ?? '', content: words })
    if (/(?:Katex|Formula)$/.test(type)) rendered.push({ reader, language: 'math', content: words })
  })
  return { live, rendered }
})

const converters = [new Converter(), github(new Converter()), github(new Converter({ simplifiedAutoLink: true }))]

function github(converter: Converter): Converter {
  converter.setFlavor('github')
  converter.setOption('ghMentions', false)
  return converter
}

/**
 * Showdown makes links also where a space stands before the address. So of its links and images those count that lead
 * elsewhere; and what it does not make itself is HTML that it let through.
 */
export const readByShowdown = converters.map((converter, index) => (text: string): Reading => {
  const live: Live[] = []
  const reader = `showdown ${index}`
  for (const [target, name = '', rest = '', shown = ''] of converter
    .makeHtml(text)
    .matchAll(/<([a-z/!?][^\s>]*)([^>]*)(?:>([^<]*))?/gi)) {
    const href = /\s(?:href|src)="([^"]*)/.exec(rest)?.[1] ?? ''
    if (!own.test(name.replace(/&gt;$/, '')) || /\son|style="(?!text-align|list-style|margin)/i.test(rest)) {
      live.push({ reader, type: 'html', target })
    } else if (/^(?:a|img)$/.test(name) && leadsElsewhere(decodeHTML(href))) {
      const isBare = href === `http://${shown}`
      live.push({
        reader,
        type: name === 'a' ? 'link' : 'image',
        target: href,
        shown: isBare ? shown : undefined,
      })
    } else if (name === 'input' && !rest.startsWith(' type="checkbox"')) live.push({ reader, type: 'html', target })
  }
  return { live, rendered: [] }
})

const own = /^\/?(?:p|br|hr|em|strong|del|code|pre|[uo]l|li|h\d|blockquote|table|thead|tbody|tr|t[hd]|input|a|img)$/

function leadsElsewhere(address: string): boolean {
  const url = parseUrl(address, 'https://client.example/')
  if (!url || url.protocol === 'mailto:') return false
  return (
    /^(?:javascript|vbscript|data|file|smb):$/.test(url.protocol) || (url.host !== '' && url.host !== 'client.example')
  )
}
