import { LineCutter } from './line-cutter.ts'

/**
 * Cuts the text of a reply into lines, without their ends, as they come; a last line without an end is dropped, since
 * nobody knows whether it is whole. Throws what the stream throws, and a `RangeError` for a line that is longer than
 * `maximumLength` characters. Leaving early lets go of the stream.
 */
export async function* lines(
  stream: AsyncIterable<Uint8Array>,
  maximumLength: number,
): AsyncGenerator<string, void, undefined> {
  const cutter = new LineCutter(maximumLength)
  for await (const chunk of stream) {
    yield* cutter.take(chunk)
    if (cutter.isOverlong) throw new RangeError(`A line is longer than ${maximumLength} characters.`)
  }
}
