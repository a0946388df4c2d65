import { decodeHTML } from 'entities'
import { plainSnippet } from './plain-snippet.ts'

/** An excerpt that an API gives, with entities and marks in it, as plain text; nothing when it says nothing. */
export function cleanSnippet(html: string): string | undefined {
  return plainSnippet(decodeHTML(html))
}
