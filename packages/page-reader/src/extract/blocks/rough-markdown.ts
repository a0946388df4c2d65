import { isIn, type PageBlock } from './blocks.ts'
import { rowOf } from './even-rows.ts'
import type { BlockReading } from './reading.ts'

/** The content of a page as Markdown without links and pictures, a row of a table in a line. */
export function roughMarkdown({ blocks, chosen }: BlockReading): string {
  const parts: string[] = []
  let row: ReturnType<typeof rowOf>
  for (const block of blocks) {
    if (!chosen.has(block)) continue
    const own = rowOf(block)
    if (own && own === row) parts.push(' | ', block.text)
    else parts.push(own && own.parent === row?.parent ? '\n' : '\n\n', markdownOf(block))
    row = own
  }
  return parts.join('')
}

function markdownOf({ frame, text, nodes }: PageBlock): string {
  const level = /^h([1-6])$/.exec(frame.name)?.[1]
  if (level) return `${'#'.repeat(Number(level))} ${text}`
  if (frame.name === 'pre') return `\`\`\`\n${nodes.map(({ data }) => data).join('')}\n\`\`\``
  return isIn(frame, 'item') ? `- ${text}` : text
}
