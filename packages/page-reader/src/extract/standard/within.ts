import { oneLine } from '@csp/lib/text'
import type { Element, Node, Text } from '../tree/nodes.ts'

/** The first characters of the text in a node, at most `max`, whatever stands in it. */
export function textWithin(node: Node, max: number): string {
  let text = ''
  const add = (from: Node): void => {
    for (let child = from.firstChild; child && text.length < max; child = child.nextSibling)
      if (child.nodeType === 3) text += (child as Text).data.slice(0, max)
      else if (child.nodeType === 1) add(child)
  }
  if (node.nodeType === 3) return (node as Text).data.slice(0, max)
  add(node)
  return text.slice(0, max)
}

/** The same on one line, without spaces around it. */
export function lineWithin(node: Node, max: number): string {
  return oneLine(textWithin(node, max))
}

/** The last characters of the text in a node. */
export function endWithin(node: Node, max: number): string {
  let text = ''
  const add = (from: Node): void => {
    for (let child = from.lastChild; child && text.length < max; child = child.previousSibling)
      if (child.nodeType === 3) text = (child as Text).data.slice(-max) + text
      else if (child.nodeType === 1) add(child)
  }
  if (node.nodeType === 3) return (node as Text).data.slice(-max)
  add(node)
  return text.slice(-max)
}

/** The words of a class. */
export function classNames(element: Element): readonly string[] {
  const value = element.getAttribute('class')
  return value ? value.slice(0, 300).split(/\s+/) : []
}
