/**
 * Makes text from the network fit to be printed: no escape sequences, no control characters but newline and tab, no
 * marks that turn the direction of writing, no invisible characters but the joiners that scripts and emoji need.
 */
export function safe(text: string): string {
  return text.toWellFormed().replace(escapes, '').replace(/\r\n?/g, '\n').replace(unprintable, '')
}

/** Like `safe`, on one line. */
export function safeLine(text: string): string {
  return safe(text).replace(/\s+/g, ' ').trim()
}

/** Breaks text at spaces so that no line is longer than `width`, each begun with `indent`. A longer word stays whole. */
export function wrap(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(/\s+/)) {
    if (line.length > indent.length && line.length + 1 + word.length > width) {
      lines.push(line)
      line = indent
    }
    line += line.length > indent.length ? ` ${word}` : word
  }
  return [...lines, line].join('\n')
}

/** ANSI styles, or plain text where they are not wanted. */
export interface Style {
  bold(text: string): string
  dim(text: string): string
}

/** Styles for a terminal, unless `NO_COLOR` is set or the terminal is a dumb one. */
export function styleFor(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Style {
  const plain = !isTerminal || Boolean(environment['NO_COLOR']) || environment['TERM'] === 'dumb'
  const styled = (on: number, off: number) => (text: string) => (plain ? text : `\x1b[${on}m${text}\x1b[${off}m`)
  return { bold: styled(1, 22), dim: styled(2, 22) }
}

/** CSI, OSC and the other string sequences, and the two-character ones, in their 7-bit and 8-bit forms. */
const escapes =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const unprintable =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
