import { Parser } from 'commonmark'
import MarkdownIt, { type Token } from 'markdown-it'
import { type Token as GfmToken, Marked } from 'marked'

const strict = MarkdownIt({ html: true, linkify: false })
const linking = MarkdownIt({ html: true, linkify: true })
const gfm = new Marked({ gfm: true })
for (const parser of [strict, linking]) parser.validateLink = () => true // it would refuse `javascript:`

/**
 * What is live in an answer, to four parsers of Markdown that let HTML through: its links, images and HTML, a line
 * each. A name (`example.com`) or a mail address that a linkifier finds in plain text is not counted: it hides nothing.
 */
export function liveMarkup(text: string): readonly string[] {
  return [
    ...liveNodes(text),
    ...liveTokens(strict.parse(text, {})),
    ...liveTokens(linking.parse(text, {})),
    ...liveGfm(text),
  ]
}

/** By a parser of GitHub's Markdown, which makes links of bare addresses by rules of its own. */
function liveGfm(text: string): readonly string[] {
  const found: string[] = []
  gfm.walkTokens(gfm.lexer(text), (token: GfmToken) => {
    if (!/^(?:link|image|html)$/.test(token.type)) return
    const isBare = token.type === 'link' && token.raw === token['text']
    if (!isBare || !isPlain(String(token['href']), String(token['text'])))
      found.push(`marked: ${token.type} ${token.raw}`)
  })
  return found
}

function liveNodes(text: string): readonly string[] {
  const found: string[] = []
  const walker = new Parser().parse(text).walker()
  for (let step = walker.next(); step; step = walker.next()) {
    const { type, destination, literal } = step.node
    if (step.entering && /^(?:link|image|html_inline|html_block)$/.test(type)) {
      found.push(`commonmark: ${type} ${destination ?? literal}`)
    }
  }
  return found
}

function liveTokens(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((token, index) => {
    const { type, markup, content, children } = token
    const inner = liveTokens(children ?? [])
    if (!/^(?:link_open|image|html_inline|html_block)$/.test(type)) return inner
    const address = String(token.attrGet('href') ?? token.attrGet('src') ?? content)
    if (markup === 'linkify' && isPlain(address, tokens[index + 1]?.content ?? '')) return inner
    return [`markdown-it: ${type} ${address}`, ...inner]
  })
}

/** Whether a link that was made of plain text leads to no more than the name or mail address that it shows. */
function isPlain(address: string, content: string): boolean {
  if (/^(?:https?|ftp):\/\/[^\p{L}\p{N}]*$/u.test(decoded(address))) return true // `http://` and no host
  if (address.startsWith('xmpp:')) return address === content
  if (address.startsWith('mailto:')) return /^(?:mailto:)?[^\s:]+@[^\s/?#:]+$/.test(content)
  return /^http:\/\/[^/?#]*[/?]?$/.test(address) && /^[^\s/?#:]*\.[^\s/?#:]+(?::\d+)?[/?]?$/.test(content)
}

function decoded(address: string): string {
  try {
    return decodeURI(address)
  } catch {
    return address // `%Aa` is no byte of a character
  }
}
