/** Parses JSON; `undefined` for any other text, such as a stray log line. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
