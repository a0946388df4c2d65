import type { Environment } from './shell.ts'
import { wrapLines } from './wrapped-text.ts'

/** Make text from the network safe to print. */
export { plainLine as safeLine, plainText as safe } from '@csp/lib/text'

/** A paragraph in lines of at most `width` columns, each starting with `indent`. */
export function wrap(text: string, width: number, indent = ''): string {
  const columns = Math.max(width - indent.length, minColumns)
  return wrapLines(text.replace(/\s+/g, ' ').trim(), columns).replace(/^/gm, indent)
}

/** Narrower text cannot be read. */
const minColumns = 8

/** Cuts text that takes more than `width` columns. */
export function fit(text: string, width: number): string {
  return Bun.sliceAnsi(text, 0, Math.max(width, 1), { ellipsis: '…' })
}

/** ANSI styles, or plain text where they are disabled. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
  /** Links are shown as such; elsewhere `link` returns the text alone. */
  readonly hasLinks: boolean
  link(text: string, url: string): string
}

/** Styles for a terminal, unless `NO_COLOR` is set or the terminal is a dumb one. */
export function styleFor(isTerminal: boolean, environment: Environment): Style {
  const isPlain = !isTerminal || Boolean(environment['NO_COLOR']) || isDumb(environment)
  const styled = (on: number, off: number) => (text: string) => (isPlain ? text : `\x1b[${on}m${text}\x1b[${off}m`)
  const hasLinks = !isPlain && showsLinks(environment)
  return {
    bold: styled(1, 22),
    dim: styled(2, 22),
    hasLinks,
    link(text, url) {
      // `href` has ASCII alone, as the sequence demands.
      const address = hasLinks ? URL.parse(url)?.href : undefined
      return address ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text
    },
  }
}

/** A terminal without escape sequences. */
export function isDumb(environment: Environment): boolean {
  return environment['TERM'] === 'dumb'
}

/** Terminals name themselves; one that does not know links may print them as text. */
function showsLinks(environment: Environment): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION = '0', KONSOLE_VERSION = '0', FORCE_HYPERLINK } = environment
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== '0'
  // Between csp and the terminal they may not be passed on.
  if (/^(?:screen|tmux)/.test(TERM)) return false
  return (
    /^(?:iTerm\.app|WezTerm|vscode|ghostty|Hyper|Tabby|rio|zed)$/.test(TERM_PROGRAM) ||
    /^(?:xterm-kitty|xterm-ghostty|alacritty|foot|contour)/.test(TERM) ||
    Boolean(environment['WT_SESSION'] || environment['KITTY_WINDOW_ID'] || environment['DOMTERM']) ||
    Number(VTE_VERSION) >= 5000 ||
    Number(KONSOLE_VERSION) >= 210_400
  )
}
