import { decodeHTML } from 'entities'
import { readContainers } from './readers/containers.ts'
import { isRendered, type Live, type Reading, type Rendered } from './readers/live.ts'
import { readByMarked, readByShowdown } from './readers/patterns.ts'
import { readByCommonMark, readByMarkdownIt, readByMarkdownItLinking, readByRemark } from './readers/trees.ts'

/** The readers of Markdown that ADR 23 names. All let HTML through. */
const readers = [
  ...[readContainers, readByCommonMark, readByMarkdownIt, readByMarkdownItLinking, readByRemark],
  ...readByMarked,
]

/** Texts come again: on each route, and in the replies and the streams of one job. */
const known = new Map<string, readonly string[]>()

/**
 * What is live in an answer to what clients read it with: links, images and HTML, and what a formula or a fence that
 * clients render would load, a line each. A name (`example.com`) or a mail address that a reader finds in plain text is
 * not counted: it hides nothing.
 */
export function liveMarkup(text: string): readonly string[] {
  const found = known.get(text)
  if (found) return found
  const live = [...liveWhileWritten(text), ...readByShowdown.flatMap((read) => liveIn(read(text)))]
  if (known.size === 10_000) known.clear()
  known.set(text, live)
  return live
}

/** The same of a text that is not at its end: showdown takes no fence for one that is not closed. */
export function liveWhileWritten(text: string): readonly string[] {
  return readers.flatMap((read) => liveIn(read(text)))
}

function liveIn({ live, rendered }: Reading): readonly string[] {
  return [
    ...live.filter((one) => !isPlain(one)).map(({ reader, type, target }) => `${reader}: ${type} ${target}`),
    ...rendered.flatMap(liveWhereRendered),
  ]
}

/** What a fence would load or link when a client renders it, and a formula. */
function liveWhereRendered({ reader, language, content }: Rendered): readonly string[] {
  if (!isRendered(language)) return []
  const found = active.exec(content)?.[0] ?? (formulas.has(language) ? undefined : foreignAddress(content))
  const inner = /^(?:md|markdown|mdx)$/i.test(language) ? liveIn(readByCommonMark(content)) : []
  return [...(found === undefined ? [] : [`${reader}: ${language} ${found}`]), ...inner]
}

const active =
  /<[a-z/!?]|(?:^|[^/])\/\/[\p{L}\p{N}%@]|(?<!\\)(?:\\\\)*\\(?:\/\\\/[\p{L}\p{N}]|u00|(?:href|url|includegraphics|html[A-Z]|style|bbox|mmlToken|require|csname)(?![a-z]))|\b(?:javascript|vbscript|data):\S/iu

const formulas = new Set(['math', 'latex', 'tex', 'katex'])

/** A word that a browser takes for the address of another host than its page, as it is written or with its escapes read. */
function foreignAddress(content: string): string | undefined {
  const byNumber = /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}|([\da-f]{2,6}) ?)/gi
  const readings = [
    content,
    content.replace(/\\[nrt]|\\\n\s*/g, ''),
    content.replace(byNumber, (_, ...codes) => letter(Number.parseInt(codes.slice(0, 4).join(''), 16))),
    content.replace(/[&#]#?(x?)([\da-f]+);/gi, (_, hex, code) => letter(Number.parseInt(code, hex ? 16 : 10))),
    decodeHTML(content.replace(/#(\w+);/g, '&$1;')),
    content.replace(/%([\da-f]{2})/gi, (_, code) => letter(Number.parseInt(code, 16))),
  ]
  const words = readings.flatMap((reading) => reading.split(/[\s"'`(),;{}<>=[\]|]+/))
  return words.find((word) =>
    ['http://chat.example/', 'https://chat.example/'].some((base) => {
      const { protocol, host } = URL.parse(word, base) ?? {}
      return /^(?:https?|ftp):$/.test(protocol ?? '') && host !== 'chat.example'
    }),
  )
}

function letter(code: number): string {
  return code > 0 && code < 0x80 ? String.fromCharCode(code) : ''
}

/** Whether a link that was made of plain text leads to no more than the name or mail address that it shows. */
function isPlain({ type, target, shown }: Live): boolean {
  if (type !== 'html' && /^(?:https?|ftp|file):\/\/[^\p{L}\p{N}]*$/u.test(decoded(target))) return true // no host
  if (type !== 'link' || shown === undefined) return false
  if (target.startsWith('xmpp:')) return target === shown
  if (target.startsWith('mailto:')) return /^(?:mailto:)?[^\s:]+@[^\s/?#:]+$/.test(shown)
  if (/^www[\W_]*$/i.test(shown)) return true // no host either
  return /^http:\/\/[^/?#]*[/?]?$/.test(target) && /^[^\s/?#:]*\.[^\s/?#:]+(?::\d+)?[/?]?$/.test(shown)
}

function decoded(address: string): string {
  try {
    return decodeURI(decodeHTML(address))
  } catch {
    return address // `%Aa` is no byte of a character
  }
}
