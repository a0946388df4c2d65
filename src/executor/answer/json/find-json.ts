/**
 * The JSON values that a text may be meant as, the likeliest first: the whole text, what stands in a code fence, and
 * every object or array in running text.
 */
export function* findJson(text: string): Generator<unknown, void, undefined> {
  const whole = parse(text.trim())
  if (whole) return yield whole.value
  for (const [, inner = ''] of text.matchAll(/```[a-z]*\s*([\s\S]*?)```/gi)) {
    const fenced = parse(inner.trim())
    if (fenced) yield fenced.value
  }
  let from = nextStart(text, 0)
  // Of a text with a thousand open brackets nobody has to read each to the end.
  for (let tries = 0; from >= 0 && tries < mostTries; tries++) {
    const end = endOf(text, from)
    const found = end < 0 ? undefined : parse(text.slice(from, end))
    if (found) yield found.value
    from = nextStart(text, found ? end : from + 1)
  }
}

const mostTries = 100

function nextStart(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/)
  return offset < 0 ? -1 : from + offset
}

/** The index after the bracket that closes the one at an index; -1 when none does. */
function endOf(text: string, from: number): number {
  let depth = 0
  let quoted = false
  for (let index = from; index < text.length; index++) {
    const char = text.charAt(index)
    if (quoted) {
      if (char === '\\') index++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return index + 1
  }
  return -1
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
