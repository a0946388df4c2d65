/** What asks for consent to cookies, and the boxes of links below the pages of a MediaWiki. */
const overlayClass = /cookie-(?:banner|consent|notice)|navbox/

/** What a page does not show. `hidden` alone as a class: beside others it may be shown on wide screens. */
export const hidden: readonly string[] = [
  ...['[hidden]', '[aria-hidden="true"]', '[class="hidden"]', '[style*="display:none"]', '[style*="display: none"]'],
  ...['[style*="visibility:hidden"]', '[style*="visibility: hidden"]'],
]

/** Whether an element lies over a page until it is answered, or is no part of its text wherever it stands. `words`: its class. */
export function isOverlay(element: Element, words: string): boolean {
  if (overlayClass.test(words)) return true
  return element.getAttribute('role') === 'dialog' || element.getAttribute('aria-modal') === 'true'
}
