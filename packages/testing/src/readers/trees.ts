import { Parser } from 'commonmark'
import MarkdownIt, { type Token } from 'markdown-it'
import type { Nodes } from 'mdast'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import remarkParse from 'remark-parse'
import { unified } from 'unified'
import type { Live, Reading, Rendered } from './live.ts'

const strict = MarkdownIt({ html: true, linkify: false })
const linking = MarkdownIt({ html: true, linkify: true })
for (const parser of [strict, linking]) parser.validateLink = () => true // it would refuse `javascript:`
const remark = unified().use(remarkParse).use(remarkGfm).use(remarkMath)

export function readByCommonMark(text: string): Reading {
  const reader = 'commonmark'
  const live: Live[] = []
  const rendered: Rendered[] = []
  const walker = new Parser().parse(text).walker()
  for (let step = walker.next(); step; step = walker.next()) {
    const { type, destination, literal, info } = step.node
    if (!step.entering) continue
    if (type === 'link' || type === 'image') live.push({ reader, type, target: destination ?? '' })
    if (type === 'html_inline' || type === 'html_block') live.push({ reader, type: 'html', target: literal ?? '' })
    if (type === 'code_block') rendered.push({ reader, language: firstWord(info), content: literal ?? '' })
  }
  return { live, rendered }
}

export const readByMarkdownIt = (text: string): Reading => ofTokens('markdown-it', strict.parse(text, {}))
export const readByMarkdownItLinking = (text: string): Reading =>
  ofTokens('markdown-it, linkify', linking.parse(text, {}))

function ofTokens(reader: string, tokens: readonly Token[]): Reading {
  const live: Live[] = []
  const rendered: Rendered[] = []
  for (const [index, { type, markup, content, info, attrGet, children }] of tokens.entries()) {
    const token = tokens[index]
    if (children) live.push(...ofTokens(reader, children).live)
    if (type === 'fence') rendered.push({ reader, language: firstWord(info), content })
    if (type === 'html_inline' || type === 'html_block') live.push({ reader, type: 'html', target: content })
    if (type === 'image') live.push({ reader, type: 'image', target: String(attrGet.call(token, 'src')) })
    if (type !== 'link_open') continue
    const shown = markup === 'linkify' ? (tokens[index + 1]?.content ?? '') : undefined
    live.push({ reader, type: 'link', target: String(attrGet.call(token, 'href')), shown })
  }
  return { live, rendered }
}

export function readByRemark(text: string): Reading {
  const reader = 'remark'
  const live: Live[] = []
  const rendered: Rendered[] = []
  const visit = (node: Nodes): void => {
    if (node.type === 'html') live.push({ reader, type: 'html', target: node.value })
    if (node.type === 'image') live.push({ reader, type: 'image', target: node.url })
    if (node.type === 'linkReference' || node.type === 'imageReference')
      live.push({ reader, type: 'link', target: node.identifier })
    if (node.type === 'link') live.push({ reader, type: 'link', target: node.url, shown: bareOf(node, text) })
    if (node.type === 'code') rendered.push({ reader, language: firstWord(node.lang), content: node.value })
    if (node.type === 'math' || node.type === 'inlineMath')
      rendered.push({ reader, language: 'math', content: node.value })
    if ('children' in node) for (const child of node.children) visit(child)
  }
  visit(remark.parse(text))
  return { live, rendered }
}

/** The words of a link that was made of plain text; `undefined` of one with brackets. */
function bareOf(node: Extract<Nodes, { type: 'link' }>, text: string): string | undefined {
  const [child] = node.children
  // What stands elsewhere than its words has brackets; an address that is found last has no place.
  const start = node.position?.start.offset
  const isBare = start === undefined || !/[[<]/.test(text.charAt(start))
  return child?.type === 'text' && isBare ? child.value : undefined
}

function firstWord(info: string | null | undefined): string {
  return /^\s*(\S*)/.exec(info ?? '')?.[1] ?? ''
}
