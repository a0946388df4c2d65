/** Cuts text that comes in chunks of bytes into lines. Bytes that are no UTF-8 become U+FFFD. */
export class LineCutter {
  readonly #maximumLength: number
  readonly #decoder = new TextDecoder()
  /** Pieces of the unfinished line: joined once, so that a long line costs linear time. */
  #pieces: string[] = []
  #length = 0

  /** In characters. */
  constructor(maximumLength: number) {
    this.#maximumLength = maximumLength
  }

  /** Whether a line is too long. Nothing is given of it, nor of what comes after it. */
  get isOverlong(): boolean {
    return this.#length > this.#maximumLength
  }

  /** The lines that end in this chunk, without their ends. */
  *take(chunk: Uint8Array): Generator<string, void, undefined> {
    if (this.isOverlong) return
    const text = this.#decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const tail = text.slice(start, end)
      const line = this.#pieces.length > 0 ? this.#pieces.join('') + tail : tail
      this.#pieces = []
      this.#length = 0
      start = end + 1
      if (line.length > this.#maximumLength) {
        this.#length = line.length
        return
      }
      yield line
    }
    this.#pieces.push(text.slice(start))
    this.#length += text.length - start
  }
}
