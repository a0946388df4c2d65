import type { ChildNode, Element, Text } from '../tree/nodes.ts'

/**
 * Moves spaces and breaks at the edges of bold and slanted words out of them: Markdown takes the signs around `** word**`
 * for signs of the page. The innermost first, since what leaves one may stand at the edge of another.
 */
export function shapeEmphasis(root: Element): void {
  for (const element of root.querySelectorAll(emphasis).reverse()) {
    moveEdge(element, 'before')
    moveEdge(element, 'after')
    if (!element.firstChild) element.remove()
  }
}

const emphasis = 'b, strong, i, em, del, s'

function moveEdge(element: Element, side: 'before' | 'after'): void {
  for (let moved = 0; moved < maxMoved; moved++) {
    const edge = side === 'before' ? element.firstChild : element.lastChild
    if (!edge) return
    const isWhole = isSpace(edge)
    const part = isWhole ? edge : cut(edge, side)
    if (!part) return
    // What was at the edge last stands nearest to the element.
    if (side === 'before') element.before(part)
    else element.after(part)
    if (!isWhole) return
  }
}

/** Elements nested in one another would pass many of them on. */
const maxMoved = 20

function isSpace(node: ChildNode): boolean {
  return node.nodeType === 3 ? node.data.trim() === '' : node.localName === 'br'
}

/** The spaces at the edge of a text, taken from it. */
function cut(node: ChildNode, side: 'before' | 'after'): Text | string | undefined {
  if (node.nodeType !== 3) return undefined
  const { data } = node
  const rest = side === 'before' ? data.trimStart() : data.trimEnd()
  if (rest === data) return undefined
  node.data = rest
  return side === 'before' ? data.slice(0, data.length - rest.length) : data.slice(rest.length)
}
