import { plainText } from '@csp/lib/text'
import { escapeUTF8 } from 'entities'
import type { Extracted } from './extracted.ts'
import type { PdfLine } from './pdf-lines.ts'

/** Lines without those in small print at the top or the bottom of many pages, numbers aside: the title, the page. */
export function withoutRunningHeads(pages: readonly (readonly PdfLine[])[]): PdfLine[] {
  const body = usualSize(pages.flat())
  const edges = pages.map((lines) => {
    const ys = lines.map(({ y }) => y)
    const [top, bottom] = [
      ys.reduce((a, b) => Math.max(a, b), -Infinity),
      ys.reduce((a, b) => Math.min(a, b), Infinity),
    ]
    return new Set(
      lines.filter(({ y, size }) => size < body * minHeadingSize && Math.min(top - y, y - bottom) < size / 2),
    )
  })
  const counts = new Map<string, number>()
  for (const lines of edges)
    for (const key of new Set([...lines].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
  // Left and right pages often have different ones.
  const running = new Set(
    [...counts].filter(([, count]) => count >= Math.max(3, pages.length * 0.4)).map(([key]) => key),
  )
  return pages.flatMap((lines, index) => lines.filter((line) => !(running.has(keyOf(line)) && edges[index]?.has(line))))
}

/** The size of the font, beside that of the text. */
const minHeadingSize = 1.15

function keyOf({ text }: PdfLine): string {
  return text.replace(/\d+/g, '#')
}

/** Paragraphs and headings in every format, and the first one of the largest headings. */
export function contentsOfBlocks(lines: readonly PdfLine[]): {
  contents: Extracted['contents']
  heading?: string | undefined
} {
  const body = usualSize(lines)
  const width = usualWidth(lines)
  const blocks = blocksOf(lines).map((block) => {
    const text = plainText(joined(block, width)).trim()
    const size = usualSize(block)
    const isHeading = size >= body * minHeadingSize && block.length <= 3 && text.length <= 200 && /\p{L}/u.test(text)
    return { text: isHeading ? text.replaceAll('\n', ' ') : text, size: isHeading ? size : 0 }
  })
  const sizes = [...new Set(blocks.map(({ size }) => size))]
    .filter(Boolean)
    .sort((a, b) => b - a)
    .slice(0, 5)
  const kept = blocks
    .filter(({ text }) => text)
    .map(({ text, size }) => ({ text, level: size && (sizes.indexOf(size) + 1 || 6) }))
  const parts = (write: (text: string, level: number) => string): string =>
    kept.map(({ text, level }) => write(text, level)).join('\n\n')
  return {
    contents: {
      markdown: parts((text, level) => (level ? `${'#'.repeat(level)} ${text}` : text)),
      text: parts((text) => text),
      html: parts((text, level) =>
        level ? `<h${level}>${escapeUTF8(text)}</h${level}>` : `<p>${escapeUTF8(text)}</p>`,
      ),
    },
    heading: kept.find(({ level }) => level === 1)?.text,
  }
}

/** The size of font that most of the text has, to half a point. */
function usualSize(lines: readonly PdfLine[]): number {
  const lengths = new Map<number, number>()
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length)
  }
  return [...lengths].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0])[0]
}

function blocksOf(lines: readonly PdfLine[]): PdfLine[][] {
  const blocks: PdfLine[][] = []
  let last: PdfLine | undefined
  for (const line of lines) {
    if (last && belongs(line, last)) blocks.at(-1)?.push(line)
    else blocks.push([line])
    last = line
  }
  return blocks
}

/** Whether a line continues with the paragraph of the one before it. */
function belongs(line: PdfLine, last: PdfLine): boolean {
  if (Math.abs(line.size - last.size) > last.size * 0.1 || /^(?:[•▪◦‣●■]|\[\d+\])/.test(line.text)) return false
  const gap = last.y - line.y
  // The next column or page: a sentence may go on there.
  if (gap <= 0 || gap > last.size * 4) return /^\p{Ll}/u.test(line.text) && !/[.!?:]$/.test(last.text)
  if (gap > last.size * 1.7) return false
  const isIndented = line.left > last.left + last.size * 0.8 && line.left < last.left + last.size * 6
  return !(isIndented && /[.!?:][)"'”’]?$/.test(last.text))
}

/** The width that four of five lines do not exceed. */
function usualWidth(lines: readonly PdfLine[]): number {
  const widths = lines.map(widthOf).sort((a, b) => a - b)
  return widths[Math.floor(widths.length * 0.8)] ?? 0
}

function widthOf({ left, right }: PdfLine): number {
  return right - left
}

/** The text of a paragraph. A line that ends early, as in a table or an address, stays a line. */
function joined(lines: readonly PdfLine[], width: number): string {
  const parts: string[] = []
  for (const [index, { text }] of lines.entries()) {
    const last = lines[index - 1]
    if (last && /\u00ad$|\p{L}[-\u2010]$/u.test(last.text) && /^\p{Ll}/u.test(text)) {
      parts.push(parts.pop()?.slice(0, -1) ?? '')
    } else if (last && widthOf(last) < width * 0.6) parts.push('\n')
    else if (last && !(endsWithIdeograph.test(last.text) && startsWithIdeograph.test(text))) parts.push(' ')
    parts.push(text)
  }
  return parts.join('')
}

/** Chinese and Japanese have no space between their lines. */
const ideograph = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}，。、]`
const startsWithIdeograph = new RegExp(`^${ideograph}`, 'u')
const endsWithIdeograph = new RegExp(`${ideograph}$`, 'u')
