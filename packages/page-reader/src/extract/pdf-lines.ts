import type { PDFPageProxy } from 'unpdf/pdfjs'

/** A line of text on a page of a PDF. */
export interface PdfLine {
  readonly text: string
  /** The size of the font in points, as the longest piece of the line has it. */
  readonly size: number
  readonly left: number
  readonly right: number
  /** From the lower edge of the page. */
  readonly y: number
}

/** The lines of a page, in the order in which the file has them. */
export async function linesOn(page: PDFPageProxy): Promise<PdfLine[]> {
  const { items } = await page.getTextContent()
  const lines: PdfLine[] = []
  let line: (PdfLine & { readonly longest: number }) | undefined
  let text = ''
  const end = (): void => {
    if (line) lines.push({ ...line, text: text.trim() })
    line = undefined
    text = ''
  }
  for (const item of items) {
    if (!('str' in item)) continue
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0]: readonly number[] = item.transform
    // What runs up the side of a page is a stamp.
    const isStamp = page.rotate === 0 && Math.abs(b) > Math.abs(a)
    if (!isStamp) text += item.str
    if (!isStamp && item.str.trim()) {
      const { left = x, right = x, longest = 0 } = line ?? {}
      const isLongest = item.str.length > longest
      line = {
        text: '',
        left,
        right: Math.max(right, x + item.width),
        size: !line || isLongest ? Math.hypot(c, d) : line.size,
        y: !line || isLongest ? y : line.y,
        longest: Math.max(longest, item.str.length),
      }
    }
    if (item.hasEOL) end()
  }
  end()
  return lines
}
