import { type PageErrorCode, pageErrorTraits } from '@csp/page-reader/page-error'

/** A page of a list that could not be read, or has not come in time. */
export interface UnreadPage {
  /** The host of its address. */
  readonly site: string
  readonly code: PageErrorCode
}

/** The pages of a list, while they are waited for and then. */
export interface PagesAwaited {
  readonly pages: number
  /** How long they are waited for at most. */
  readonly maxMs?: number | undefined
  /** The wait is over, and these have not come. */
  readonly unread?: readonly UnreadPage[] | undefined
  /** The address of one that has just come. */
  readonly read?: string | undefined
}

/** Each site once: `a.example (does not answer), b.example (needs a login) and 2 more` */
export function unreadInWords(unread: readonly UnreadPage[]): string {
  const sites = [...new Map(unread.map((one) => [one.site, one])).values()]
  const named = sites.slice(0, 3).map(({ site, code }) => `${site} (${pageErrorTraits(code).words})`)
  const more = sites.length > 3 ? ` and ${sites.length - 3} more` : ''
  return `${named.join(', ')}${more}`
}

/** A code as replies spell it. */
export function writtenPageCode(code: PageErrorCode): string {
  return code.replaceAll('-', '_')
}
