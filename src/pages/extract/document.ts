import { parseHTML } from 'linkedom'
import { PageError } from '../../domain/page.ts'

/** The document of an HTML page. Throws a `PageError` where it is nested too deeply to read. */
export function documentOf(html: string): Document {
  const { document } = parseHTML(withRoot(html))
  fillBody(document)
  if (isTooDeep(document)) throw new PageError('too-large', 'The elements of the page are nested too deeply to read.')
  return document
}

/** Where relative addresses of a page start. */
export function baseOf(document: Document, url: string): string {
  return URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url
}

/** The parser adds no missing root, and loses what stands outside of one. */
function withRoot(html: string): string {
  if (/<html[\s>]/i.test(html)) return html
  const inner = html.replace(/<!doctype[^<>]{0,500}>/i, '')
  return `<!doctype html><html>${/<(?:head|body)[\s>]/i.test(inner) ? inner : `<body>${inner}</body>`}</html>`
}

/** Pages may leave out the tags of their head and body; the parser then puts nothing into these, and adds others. */
function fillBody({ documentElement, head, body }: Document): void {
  for (const node of [...documentElement.childNodes]) {
    if (node === head || node === body) continue
    if (node.nodeName === 'HEAD' || node.nodeName === 'BODY') {
      node.remove()
      ;(node.nodeName === 'HEAD' ? head : body).append(...node.childNodes)
    } else (headElements.has(node.nodeName) ? head : body).append(node)
  }
}

const headElements: ReadonlySet<string> = new Set(['TITLE', 'META', 'LINK', 'BASE'])

/** What reads documents takes the square of their depth, or more; pages that people wrote have less than 100 levels. */
function isTooDeep({ documentElement }: Document): boolean {
  let level: readonly Element[] = [documentElement]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true
    level = level.flatMap((element) => [...element.children])
  }
  return false
}

const maxDepth = 400
