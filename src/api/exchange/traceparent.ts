/** The `traceparent` of a caller, if it has one that is well formed. */
export function traceparentIn(headers: Headers): string | undefined {
  const value = headers.get('traceparent')?.trim()
  return value && traceparentPattern.test(value) ? value : undefined
}

/** Version 00: a trace that is not all zeros, a parent that is neither, flags. Later versions may add fields. */
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
