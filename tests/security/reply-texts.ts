/** The texts of a reply by their place; of a stream, the pieces at one place joined. Addresses alone are those of sources. */
export function textsIn(reply: string): ReadonlyMap<string, string> {
  const frames: readonly unknown[] = /^[{[]/.test(reply)
    ? [JSON.parse(reply)].flat()
    : reply.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice('data: '.length))] : []))
  const found = new Map<string, string>()
  const collect = (place: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      // The tokens of Brave's summary are shown one behind another.
      const isTokens = place.endsWith('.summary')
      for (const [key, inner] of Object.entries(value))
        if (!isTokens || key !== 'type') collect(isTokens ? place : `${place}.${key}`, inner)
    } else if (typeof value === 'string' && !/^https:\/\/(?:seals|terns)\.example\/[\w./]*$/.test(value)) {
      found.set(place, (found.get(place) ?? '') + value.replace(/<(citation|usage)>.*?<\/\1>/gs, ''))
    }
  }
  for (const frame of frames) collect(String(Object(frame).type ?? ''), frame)
  return found
}
