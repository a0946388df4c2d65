import type { Page, PageRequest } from './page.ts'

/**
 * Something that reads pages of the web: this machine, the CLI, a machine far away, a layer around another reader.
 *
 * Contract, checked by `packages/page-reader/test/contract/page-reader.ts` for every implementation:
 * - Resolves with one page, or rejects with a `PageError`, and with nothing else.
 * - Rejects an address that the settings do not let this caller read before anything is sent.
 * - When the signal aborts, rejects with `cancelled`, or `timeout` when the signal's reason is a `TimeoutError`; the
 *   work for this page has stopped by then.
 */
export interface PageReader {
  /** Reads one page. Rejects with a `PageError` only. */
  read(request: PageRequest, context: PageContext): Promise<Page>
  /** Stops what is running and frees what is held. Idempotent. */
  close(): Promise<void>
}

/** Its turn among other pages, of its site and of all; the site itself; or what reads its body. */
export type AwaitedByPage = 'turn' | 'site' | 'reader'

/** The circumstances of a request, which do not change its page. */
export interface PageContext {
  readonly signal: AbortSignal
  /** `no-cache`: fetch again, keep the page. `no-store`: fetch again, keep nothing. */
  readonly cache?: 'default' | 'no-cache' | 'no-store' | undefined
  /** Asked of every address on the way to the page, behind redirects too. Absent: all may be visited. */
  readonly mayVisit?: ((url: URL) => boolean) | undefined
  /** Called when what the page waits for changes. */
  readonly onWait?: ((awaited: AwaitedByPage) => void) | undefined
  /** Identifies the caller: callers take turns, and may share no pages. */
  readonly caller?: string | undefined
  /** Whether a page that is read roughly outlives this process, too: a research that goes on needs it again. */
  readonly isLasting?: boolean | undefined
  /** The only caller that may get the page. Set by the stack with scope `key`, not by callers. */
  readonly owner?: string | undefined
}
