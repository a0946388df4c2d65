/**
 * Cuts the text of a reply into lines, without their ends, as they come; a last line without an end is dropped, since
 * nobody knows whether it is whole. Throws what the stream throws, and a `RangeError` for a line that is longer than
 * `maximumLength` characters. Leaving early lets go of the stream.
 */
export async function* lines(
  stream: AsyncIterable<Uint8Array>,
  maximumLength: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  // Of the line that has no end yet: joined once, so that a long line costs linear time.
  let pieces: string[] = []
  let length = 0
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield [...pieces, text.slice(start, end)].join('')
      pieces = []
      length = 0
      start = end + 1
    }
    if (start === text.length) continue
    pieces.push(text.slice(start))
    length += text.length - start
    if (length > maximumLength) throw new RangeError(`A line is longer than ${maximumLength} characters.`)
  }
}
