/** Text from the network, fit to be printed. */
export { plainLine as safeLine, plainText as safe } from '../../lib/text.ts'

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
