/** What lies over a page until it is answered, such as what asks for consent to cookies. */
export const overlays: readonly string[] = [
  '[role="dialog"]',
  '[aria-modal="true"]',
  ...['banner', 'consent', 'notice'].map((kind) => `[class*="cookie-${kind}"]`),
]
