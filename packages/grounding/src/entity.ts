import { InertText } from '@csp/lib/text'
import { decodeHTMLStrict } from 'entities'
import type { Reading, TextInput } from './text-input.ts'

/** Reads a complete entity; `undefined` when there is none, also when its name is unknown. */
export function* readEntity(input: TextInput, from: number, start = '&'): Reading<string | undefined> {
  for (let end = from + start.length; end - from < maxEntityLength; end++) {
    const char = input.char(end) || (yield* input.wait(end))
    if (char === ';') {
      const entity = `&${input.slice(from + start.length, end + 1)}`
      return decodeHTMLStrict(entity) === entity ? undefined : entity
    }
    if (!/^[\da-z#]$/i.test(char)) return undefined
  }
  return undefined
}

const maxEntityLength = 40

/** No character of an entity may become a space or nothing: that would part or join what was read. */
export function inert(char: string): string {
  const text = new InertText()
  return (text.push(char) + text.end()).replaceAll(' ', '\ufffd')
}
