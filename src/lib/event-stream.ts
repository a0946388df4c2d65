import { createParser } from 'eventsource-parser'

/**
 * The data of each server-sent event, as they come; an event that the stream does not finish is dropped. Throws what the
 * stream throws, and a `RangeError` when more than `maxLength` characters bring neither an event nor a comment. Leaving
 * early releases the stream.
 */
export async function* eventData(
  stream: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string, void, undefined> {
  const arrived: string[] = []
  let length = 0
  // The parser's own limit, `maxBufferSize`, does not see lines that it passes over, which may have no end either.
  const parser = createParser({
    onEvent({ data }) {
      arrived.push(data)
      length = 0
    },
    onComment() {
      length = 0
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true })
    length += text.length
    parser.feed(text)
    yield* arrived.splice(0)
    if (length > maxLength) throw new RangeError(`More than ${maxLength} characters without an event.`)
  }
}
