import { parseJson } from '@csp/lib/json'

/**
 * What React's stream of server components holds: rows of an id, a colon and JSON, or `T`, the bytes of a text in
 * hexadecimal, a comma and the text, which ends without a line break.
 */
export function* flightValues(stream: string): Generator<unknown, void, undefined> {
  for (let colon = stream.indexOf(':'); colon >= 0; ) {
    const head = textHead.exec(stream.slice(colon + 1, colon + 12))
    const start = colon + 1 + (head?.[0].length ?? 0)
    const end = head ? afterBytes(stream, start, Number.parseInt(head[1] ?? '', 16)) : lineEnd(stream, start)
    yield head ? stream.slice(start, end) : parseJson(stream.slice(start, end))
    colon = stream.indexOf(':', end)
  }
}

const textHead = /^T([\da-f]{1,8}),/i

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end < 0 ? text.length : end
}

/** Where so many bytes of UTF-8 end. */
function afterBytes(text: string, from: number, bytes: number): number {
  let [at, left] = [from, bytes]
  while (left > 0 && at < text.length) {
    const code = text.charCodeAt(at++)
    // Each half of a pair is two of its four bytes.
    left -= code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return at
}
