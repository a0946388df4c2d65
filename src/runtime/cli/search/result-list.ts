import type { Shell } from '../../shell/shell.ts'
import { fit, safeLine, styleFor, wrap } from '../../shell/terminal.ts'
import type { NumberedSource } from '../source-formats.ts'

/** Pages as a terminal shows them. */
export function listOf(results: readonly NumberedSource[], shell: Shell): string {
  if (results.length === 0) return 'Nothing was found.\n'
  const { bold, dim, hasLinks, link } = styleFor(shell.output.isTerminal, shell.environment)
  const indent = '    '
  const width = Math.min(shell.output.columns, 100)
  const items = results.map(({ number, title, url, publishedAt, seenAt, snippet }) => {
    const head = wrap(safeLine(title), width, indent).slice(indent.length)
    const address = safeLine(url)
    const seen = seenAt && `[seen ${seenAt.slice(0, 10)}]`
    const excerpt = [publishedAt, seen, snippet && safeLine(snippet)].filter(Boolean).join('  ')
    return [
      bold(`${`${number}.`.padEnd(indent.length)}${link(head, address)}`),
      `${indent}${dim(link(hasLinks ? fit(address, width - indent.length) : address, address))}`,
      ...(excerpt ? [wrap(excerpt, width, indent)] : []),
    ].join('\n')
  })
  return `${items.join('\n\n')}\n`
}
