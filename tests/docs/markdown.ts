import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Glob } from 'bun'
import MarkdownIt, { type Token } from 'markdown-it'

export const root = join(import.meta.dir, '../..')

/** A page of the docs, and what stands in it. */
export interface Document {
  /** From the root of the repository. */
  readonly path: string
  readonly fences: readonly Fence[]
  readonly links: readonly Placed[]
  /** Pieces of code within a text. */
  readonly codes: readonly Placed[]
  /** The anchors of its headings. */
  readonly anchors: readonly string[]
}

/** A block of code. */
export interface Fence {
  readonly line: number
  readonly language: string
  readonly code: string
  /** Why it is not run here, from a comment before it: `<!-- not run: it needs an account -->`. */
  readonly notRun: string | undefined
}

interface Placed {
  readonly line: number
  readonly text: string
}

const parser = new MarkdownIt({ html: true })

/** All pages that people read, those of `patterns` only. */
export function documents(patterns: readonly string[]): readonly Document[] {
  const paths = patterns.flatMap((pattern) => [...new Glob(pattern).scanSync({ cwd: root })])
  return paths.toSorted().map((path) => read(path, readFileSync(join(root, path), 'utf8')))
}

function read(path: string, text: string): Document {
  const tokens = parser.parse(text, {})
  const inner = tokens.flatMap((token) =>
    (token.children ?? []).map((child) => ({ child, line: (token.map?.[0] ?? 0) + 1 })),
  )
  const links = inner.flatMap(({ child, line }) => {
    const target = child.attrGet('href') ?? child.attrGet('src')
    return target === null ? [] : [{ line, text: String(target) }]
  })
  const codes = inner.flatMap(({ child, line }) =>
    child.type === 'code_inline' ? [{ line, text: child.content }] : [],
  )
  return {
    path: relative(root, join(root, path)),
    fences: tokens.flatMap((token, at) => (token.type === 'fence' ? [fenceOf(token, tokens[at - 1])] : [])),
    links,
    codes,
    anchors: tokens.flatMap((token, at) => (token.type === 'heading_open' ? [anchorOf(tokens[at + 1])] : [])),
  }
}

function fenceOf(token: Token, before: Token | undefined): Fence {
  const [, notRun] = /<!-- not run: (.+?) -->/.exec(before?.type === 'html_block' ? before.content : '') ?? []
  return { line: (token.map?.[0] ?? 0) + 1, language: token.info.trim(), code: token.content, notRun }
}

/** As GitHub makes it from the words of a heading. */
function anchorOf(heading: Token | undefined): string {
  const words = (heading?.children ?? []).map(({ content }) => content).join('')
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
