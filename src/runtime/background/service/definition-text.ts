import { escapeUTF8 } from 'entities'
import { UsageError } from '../../config/usage-error.ts'

/** The text, if it can stand in the definition of a service. Throws a `UsageError` for what would begin another line. */
export function definitionText(text: string): string {
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text
  throw new UsageError(`A service cannot hold a line break or another control character: ${JSON.stringify(text)}`)
}

/** The text within an element of XML. Throws as `definitionText` does. */
export function xmlText(text: string): string {
  return escapeUTF8(definitionText(text))
}
