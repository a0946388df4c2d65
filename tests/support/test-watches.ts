import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorNotification } from '../../src/api/dialects/exa/monitor-format.ts'
import type { Executor } from '../../src/executor/executor.ts'
import {
  type ScheduledWatches,
  type ScheduledWatchesOptions,
  scheduledWatches,
} from '../../src/jobs/scheduled-watches.ts'
import { openedHosts } from '../../src/page-reader/local/page-url.ts'
import { checkPostUrl, postTo } from '../../src/page-reader/local/post.ts'
import { watchDatabase } from '../../src/storage/watch-database.ts'

/** A file for watches in a folder of its own. */
function watchesPath(): string {
  return join(mkdtempSync(join(tmpdir(), 'csp-watches-')), 'watches.sqlite')
}

/** Watches over an executor. Webhooks may be on these hosts, which are on loopback, and on what is public. */
export function testWatches(
  executor: Executor,
  {
    opened = [],
    path = watchesPath(),
    ...options
  }: Partial<ScheduledWatchesOptions> & { opened?: readonly string[]; path?: string } = {},
): ScheduledWatches {
  const resolve = async (host: string) => (host.endsWith('.public.example') ? ['8.8.8.8'] : ['127.0.0.1'])
  const network = { opened: openedHosts(opened), userAgent: 'csp/test', resolve }
  return scheduledWatches({
    openStore: () => watchDatabase({ path, onDamage: () => {} }),
    isThere: () => true,
    executor,
    hash: (text) => text,
    log: () => {},
    post: (notification, signal) => postTo(notification, network, signal),
    checkAddress: (url) => checkPostUrl(url, network),
    write: monitorNotification,
    mayRun: async () => true,
    waitsMs: [10, 10],
    ...options,
  })
}
