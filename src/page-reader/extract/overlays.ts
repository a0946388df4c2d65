const cookieClasses = ['banner', 'consent', 'notice'].map((kind) => `cookie-${kind}`)

/** What a page does not show. `hidden` alone as a class: beside others it may be shown on wide screens. */
export const hidden: readonly string[] = [
  ...['[hidden]', '[aria-hidden="true"]', '[class="hidden"]', '[style*="display:none"]', '[style*="display: none"]'],
  ...['[style*="visibility:hidden"]', '[style*="visibility: hidden"]'],
]

/** Whether an element lies over a page until it is answered, such as what asks for consent to cookies. `words`: its class. */
export function isOverlay(element: Element, words: string): boolean {
  if (cookieClasses.some((name) => words.includes(name))) return true
  return element.getAttribute('role') === 'dialog' || element.getAttribute('aria-modal') === 'true'
}
