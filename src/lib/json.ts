/** The value of a JSON text; nothing for what is no JSON, such as a stray log line. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
