/**
 * The browser of this machine, if it has one. The headless one of Debian takes half the processor time of a whole one; the
 * script that starts it would stay behind when it is killed.
 */
export const chromiumPath = [
  '/usr/lib/chromium/chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
]
  .map((name) => Bun.which(name))
  .find((path) => path !== null)
