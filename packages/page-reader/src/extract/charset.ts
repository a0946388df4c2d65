/** The text of a body: by its byte order mark, the type that the site sent, what the page says, and otherwise UTF-8. */
export function decodeText(body: Uint8Array, contentType: string): string {
  const label = markOf(body) ?? charsetIn(contentType) ?? charsetIn(headOf(body))
  if (label) {
    const decoder = decoderFor(label)
    if (decoder) return decoder.decode(body)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    // Old pages without a word about their encoding are nearly all of this one.
    return new TextDecoder('windows-1252').decode(body)
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

/** In `text/html; charset=x`, `<meta charset="x">` and `<?xml encoding="x"?>`. */
function charsetIn(text: string): string | undefined {
  return /(?:charset|encoding)\s*=\s*["']?([\w-]{2,40})/i.exec(text)?.[1]
}

/** Browsers, too, look at the first kilobyte only. */
function headOf(body: Uint8Array): string {
  const head = new TextDecoder('windows-1252').decode(body.subarray(0, 1024))
  return /<meta[^>]+charset[^>]*>|<\?xml[^>]+encoding[^>]*>/i.exec(head)?.[0] ?? ''
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label)
  } catch {
    return undefined
  }
}
