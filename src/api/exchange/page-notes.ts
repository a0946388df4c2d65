import { type PageErrorCode, writtenPageCode } from '@csp/page-reader/page-error'
import type { PageOutcome } from '../dialect.ts'
import type { RequestLog } from './request-log.ts'

/** What came of the pages that a request asked for, in their order. Never their addresses. */
export class PageNotes {
  readonly #codes: (PageErrorCode | undefined)[] = []

  add(outcomes: readonly PageOutcome[]): void {
    this.#codes.push(...outcomes.map(({ error }) => error?.code))
  }

  get headers(): Readonly<Record<string, string>> {
    const said = this.#codes.slice(0, maxNamed).map((code) => (code ? writtenPageCode(code) : 'read'))
    return said.length > 0 ? { 'x-csp-pages': said.join(', ') } : {}
  }

  get forLog(): Pick<RequestLog, 'pages' | 'unread' | 'unreadCodes'> {
    if (this.#codes.length === 0) return {}
    const codes = this.#codes.filter((code) => code !== undefined)
    const unread = codes.length > 0 && { unread: codes.length, unreadCodes: [...new Set(codes)] }
    return { pages: this.#codes.length - codes.length, ...unread }
  }
}

/** Proxies take 4 KB of headers, or a little more. */
const maxNamed = 100
