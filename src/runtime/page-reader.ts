import { extract } from '@csp/page-reader/extract/extract'
import type { Extraction } from '@csp/page-reader/extract/extracted'
import type { ReaderReply } from '@csp/page-reader/extract/pool'
import { PageError } from '@csp/page-reader/page-error'

/**
 * The process in which pages are read, as `open-page-reader.ts` starts it: one page at a time, with neither network nor
 * state. What reads HTML is loaded while the first page is still on its way.
 */
export function readPages(): void {
  watch()
  process.on('message', async (extraction: Extraction) => void process.send?.(await replyTo(extraction)))
  import('@csp/page-reader/extract/html').catch(() => {})
}

async function replyTo(extraction: Extraction): Promise<ReaderReply> {
  try {
    return { page: await extract(extraction) }
  } catch (error) {
    const { code, message } =
      error instanceof PageError ? error : new PageError('failed', 'The page could not be read.')
    return { error: { code, message } }
  }
}

/**
 * Ends the process when csp is gone, which holds the other end of standard input, or when a page takes too much memory.
 * In a thread, since a page may keep the main one busy for ever.
 */
function watch(): void {
  const script = `
    import { read } from 'node:fs'
    const end = () => process.kill(process.pid, 'SIGKILL')
    read(0, Buffer.alloc(1), 0, 1, null, end)
    setInterval(() => process.memoryUsage.rss() > ${maxMemoryBytes} && end(), ${memoryCheckMs})`
  new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
}

const maxMemoryBytes = 700e6
const memoryCheckMs = 50
