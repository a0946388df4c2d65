/** Reads one output of a child until it ends or is cancelled. */
export interface OutputReader {
  readonly done: Promise<void>
  cancel(): void
}

export interface LineOptions {
  /** Called for each line that is not empty, without its newline, in order. Must not throw. */
  readonly onLine: (line: string) => void
  /** In characters; 16 Mi by default. */
  readonly maxLineLength?: number | undefined
  /** Called once when a line is longer; nothing is read after that. */
  readonly onOverflow: () => void
}

/** Reads lines. Bytes that are no UTF-8 become U+FFFD, and what comes after the last newline is dropped. */
export function readLines(stream: ReadableStream<Uint8Array>, options: LineOptions): OutputReader {
  const { onLine, onOverflow, maxLineLength = 16 * 1024 * 1024 } = options
  const decoder = new TextDecoder()
  let pieces: string[] = [] // of the line that has no end yet: joined once, so that a long line costs linear time
  let length = 0
  return readChunks(stream, (chunk) => {
    const text = decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const tail = text.slice(start, end)
      const line = pieces.length ? pieces.join('') + tail : tail
      pieces = []
      length = 0
      start = end + 1
      if (line) onLine(line)
    }
    const rest = start ? text.slice(start) : text
    if (!rest) return true
    length += rest.length
    if (length <= maxLineLength) return pieces.push(rest) > 0
    onOverflow()
    return false
  })
}

/** Reads everything and keeps the last 8 Ki characters. */
export function readTail(stream: ReadableStream<Uint8Array>): OutputReader & { text(): string } {
  const decoder = new TextDecoder()
  let text = ''
  const reader = readChunks(stream, (chunk) => {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-tailLength)
    return true
  })
  return { ...reader, text: () => text }
}

const tailLength = 8192

function readChunks(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => boolean): OutputReader {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel().catch(() => {})
  const done = (async () => {
    for (;;) {
      const { value } = await reader.read().catch(() => ({ value: undefined }))
      if (!value) return
      if (!onChunk(value)) return cancel()
    }
  })()
  return { done, cancel }
}
