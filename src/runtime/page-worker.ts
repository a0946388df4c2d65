import { PageError } from '../domain/page.ts'
import { extract } from '../pages/extract/extract.ts'
import type { Extraction } from '../pages/extract/extracted.ts'
import type { WorkerReply } from '../pages/extract/pool.ts'

/**
 * The thread in which pages are read. It gets one page at a time and has neither network nor state. What reads HTML is
 * loaded while the first page is still on its way.
 */
for (const loading of [import('../pages/extract/html.ts'), import('../pages/extract/rough.ts')]) loading.catch(() => {})

addEventListener('message', async ({ data }: MessageEvent<Extraction>) => {
  postMessage(await replyTo(data))
})

async function replyTo(extraction: Extraction): Promise<WorkerReply> {
  try {
    return { page: await extract(extraction) }
  } catch (error) {
    const { code, message } =
      error instanceof PageError ? error : new PageError('failed', 'The page could not be read.')
    return { error: { code, message } }
  }
}
