import { once } from '@csp/lib/once'
import { FoundPages } from '@csp/page-reader/layers/allowed'
import { PageError } from '@csp/page-reader/page-error'
import type { PageReader } from '@csp/page-reader/page-reader'
import type { Executor } from '../../executor/executor.ts'
import type { Ledger } from '../../executor/layers/metering/ledger.ts'
import { PageTally } from '../../executor/layers/metering/page-tally.ts'
import { type Config, excerptSource } from '../config/settings.ts'
import type { CreatedPageReader } from './create-page-reader.ts'
import type { RememberedOptions } from './remembered-pages.ts'

/** What reads pages, absent if the settings let none be read. */
export interface OpenedPages {
  /** For callers: as far as the setting `pages` lets them read. */
  readonly forCallers: PageReader | undefined
  /** For csp's own searches, which read only what they have found. */
  readonly forSearches: PageReader | undefined
  /** The same executor, whose results callers may read. */
  remember(executor: Executor): Executor
  /** Starts what the first page would wait for, if searches will read pages. Never throws. */
  warm(): Promise<void>
  close(): Promise<void>
}

/** Opens what reads pages; it is loaded with the first page. `cacheFolder` is asked for then. */
export function openPages(
  config: Config,
  cacheFolder: () => string,
  ledger: Ledger,
  memory?: RememberedOptions,
): OpenedPages {
  const found = new FoundPages(config.cacheScope)
  let isClosed = false
  const load = once(async (): Promise<CreatedPageReader> => {
    const { createPageReader } = await import('./create-page-reader.ts')
    const served = config.sandbox ? (await import('@csp/sandbox/library')).libraryPage : undefined
    return createPageReader(config, found, cacheFolder(), new PageTally(ledger), memory, served)
  })
  const opened = (): Promise<CreatedPageReader> => {
    if (isClosed) throw new PageError('cancelled', 'csp is stopping.')
    return load()
  }
  const reader = (choose: (pages: CreatedPageReader) => PageReader): PageReader => ({
    async read(request, context) {
      return choose(await opened()).read(request, context)
    },
    async close() {},
  })
  const isOn = config.pages !== 'off'
  return {
    forCallers: isOn ? reader(({ forCallers }) => forCallers) : undefined,
    forSearches: isOn ? reader(({ forSearches }) => forSearches) : undefined,
    remember: (executor) => (config.pages === 'search' ? noted(found, executor) : executor),
    async warm() {
      const source = excerptSource(config)
      if (!isOn || isClosed || source === 'lines' || source === 'none') return
      const pages = await opened().catch(() => undefined)
      pages?.warm()
    },
    async close() {
      isClosed = true
      const pages = await load.made()
      await pages?.close()
    },
  }
}

/** The same executor, whose results are noted as found. */
export function noted(found: FoundPages, executor: Executor): Executor {
  return {
    name: executor.name,
    supports: (request) => executor.supports?.(request) ?? true,
    health: () => executor.health(),
    close: () => executor.close(),
    async *search(request, context) {
      for await (const event of executor.search(request, context)) {
        if (event.type === 'search-results') for (const { url } of event.results) found.add(url, context.caller)
        yield event
      }
    },
  }
}
