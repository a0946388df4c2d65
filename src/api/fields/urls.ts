import { z } from 'zod'

/**
 * The addresses of pages, one as text or a list, 1 to `maximum`. Only their type is checked: an address that cannot be
 * read is the error of its page, and the others still come.
 */
export function urlsField(maximum: number) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(z.string()).min(1).max(maximum))
}
