import { constants, deflateRawSync } from 'node:zlib'

export interface PdfOptions {
  readonly info?: string
  /** Bytes of a picture on the first page, which no reader unpacks. */
  readonly pictureBytes?: number
  /** Whether it needs a password. */
  readonly isLocked?: boolean
  /** Whether its table of objects points nowhere. */
  readonly isBroken?: boolean
}

/** A PDF of one page with one line of text. */
export function smallPdf(text: string): Uint8Array<ArrayBuffer> {
  return pdfOf([`BT /F1 24 Tf 72 700 Td (${text}) Tj ET`], {
    info: '/Title (On bees) /CreationDate (D:20260504120000Z)',
  })
}

/** Lines of one page from its top, by size of font and indent; an empty one is the space between paragraphs. */
export function pdfPage(
  ...lines: readonly (string | readonly [size: number, text: string, indent?: number])[]
): string {
  let y = 760
  const drawn = lines.map((line) => {
    const [size, text, indent = 0] = typeof line === 'string' ? [11, line] : line
    y -= size * 1.2
    const escaped = text.replace(/[\\()]/g, '\\$&').replaceAll('\u00ad', '\\255')
    return text && `BT /F1 ${size} Tf ${72 + indent} ${y.toFixed(1)} Td (${escaped}) Tj ET`
  })
  return drawn.filter(Boolean).join('\n')
}

/** A PDF of pages with these streams of content. */
export function pdfOf(pages: readonly (string | Buffer)[], options: PdfOptions = {}): Uint8Array<ArrayBuffer> {
  const { info = '', pictureBytes = 0, isLocked = false, isBroken = false } = options
  const stream = (head: string, data: Uint8Array) =>
    Buffer.concat([Buffer.from(`<< ${head} /Length ${data.length} >>\nstream\n`), data, Buffer.from('\nendstream')])
  const resources = '<< /Font << /F1 3 0 R >> /XObject << /I 4 0 R >> >>'
  const objects: (string | Uint8Array)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${6 + 2 * index} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    stream(
      `/Type /XObject /Subtype /Image /Width ${Math.max(1, pictureBytes)} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`,
      Buffer.alloc(Math.max(1, pictureBytes), 7),
    ),
    `<< ${info} >>`,
    ...pages.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${7 + 2 * index} 0 R /Resources ${resources} >>`,
      typeof content === 'string'
        ? stream('', Buffer.from(content, 'latin1'))
        : stream('/Filter /FlateDecode', content),
    ]),
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'61'.repeat(32)}> /U <${'62'.repeat(32)}> >>`,
  ]
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.4\n')]
  let length = parts[0]?.length ?? 0
  const add = (part: Uint8Array): void => {
    parts.push(part)
    length += part.length
  }
  const offsets = objects.map((object, index) => {
    const offset = length
    add(Buffer.from(`${index + 1} 0 obj\n`))
    add(typeof object === 'string' ? Buffer.from(object) : object)
    add(Buffer.from('\nendobj\n'))
    return isBroken ? offset + 13 : offset
  })
  const start = isBroken ? 3 : length
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const encrypt = isLocked ? `/Encrypt ${objects.length} 0 R /ID [<00> <00>]` : ''
  add(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`))
  add(Buffer.from(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R ${encrypt} >>\n`))
  add(Buffer.from(`startxref\n${start}\n%%EOF\n`))
  return new Uint8Array(Buffer.concat(parts))
}

/**
 * A stream of content that unpacks to so many bytes, which are this text again and again. One million is packed, and
 * repeated: to pack a gigabyte takes seconds. Without a checksum, which readers of PDFs do not ask for.
 */
export function packedPage(text: string, bytes: number): Buffer {
  const million = deflateRawSync(Buffer.alloc(1e6, text), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const rest = deflateRawSync(Buffer.alloc(bytes % 1e6, text))
  return Buffer.concat([Buffer.from([0x78, 0xda]), ...Array(Math.floor(bytes / 1e6)).fill(million), rest])
}
