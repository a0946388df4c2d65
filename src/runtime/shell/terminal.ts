import type { Stream } from './shell.ts'

/** Make text from the network safe to print. */
export { plainLine as safeLine, plainText as safe } from '../../lib/text.ts'

/** Breaks text at spaces so that no line is longer than `width`, each starting with `indent`. A longer word is not broken. */
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

/** ANSI styles, or plain text where they are disabled. */
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

/** Shows progress and elapsed time on a terminal, and nothing elsewhere. Returns a function that removes it. */
export function progress(stream: Stream, text: string): () => void {
  if (!stream.isTerminal) return () => {}
  const startedAt = performance.now()
  const draw = () => stream.write(`\r${text} ${Math.floor((performance.now() - startedAt) / 1000)} s`)
  draw()
  const timer = setInterval(draw, 1000)
  let isShown = true
  return () => {
    clearInterval(timer)
    if (isShown) stream.write('\r\x1b[2K')
    isShown = false
  }
}
