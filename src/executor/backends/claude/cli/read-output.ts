import { LineCutter } from '../../../../lib/lines.ts'

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
  const cutter = new LineCutter(maxLineLength)
  return readChunks(stream, (chunk) => {
    for (const line of cutter.take(chunk)) if (line) onLine(line)
    if (cutter.isOverlong) onOverflow()
    return !cutter.isOverlong
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
