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
  const read = eventReader(maxLength)
  // `yield*` would take three turns of the microtask queue more for each.
  for await (const chunk of stream) for (const data of read(chunk)) yield data
}

/** A function that takes the bytes of a stream, chunk by chunk, and gives the data of each event that is complete. */
export function eventReader(maxLength: number): (chunk: Uint8Array) => readonly string[] {
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
  return (chunk) => {
    const text = decoder.decode(chunk, { stream: true })
    length += text.length
    parser.feed(text)
    if (length > maxLength) throw new RangeError(`More than ${maxLength} characters without an event.`)
    return arrived.splice(0)
  }
}

/** A server-sent event as it goes over the wire. */
export function eventText({ event, data }: { readonly event?: string | undefined; readonly data: string }): string {
  // JSON has no line breaks.
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${lines}\n\n`
}
