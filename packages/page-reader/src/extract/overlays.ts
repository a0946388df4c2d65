import type { Document, Element } from './tree/nodes.ts'

/** What asks for consent to cookies, and the boxes of links below the pages of a MediaWiki. */
const overlayClass = /cookie-(?:banner|consent|notice)|navbox/

/** Attributes of what a page does not show. `hidden` alone as a class: beside others it may be shown on wide screens. */
const hiddenMarks = '[hidden], [aria-hidden="true"], [class="hidden"]'

/** The elements in a root that a page does not show. */
export function hiddenIn(root: Element | Document): readonly Element[] {
  const styled = [...root.querySelectorAll('[style]')].filter((element) => hides(element.getAttribute('style') ?? ''))
  return [...root.querySelectorAll(hiddenMarks), ...styled]
}

/** Whether a style hides its element: by one of its own declarations, not by a name or a value that only looks like it. */
export function hides(style: string): boolean {
  if (!/none|hidden/i.test(style)) return false
  return style
    .slice(0, maxStyle)
    .split(';')
    .some((declaration) => hiding.test(declaration))
}

const hiding = /^\s{0,20}(?:display\s{0,20}:\s{0,20}none|visibility\s{0,20}:\s{0,20}hidden)\s{0,20}(?:!|$)/i
const maxStyle = 1000

/** Whether an element lies over a page until it is answered, or is no part of its text wherever it stands. `words`: its class. */
export function isOverlay(element: Element, words: string): boolean {
  if (overlayClass.test(words)) return true
  return element.getAttribute('role') === 'dialog' || element.getAttribute('aria-modal') === 'true'
}
