import { HostPace } from '@csp/page-reader/layers/host-pace'
import { createPageStack } from '@csp/page-reader/layers/stack'
import { pageReaderContract } from '../../../packages/page-reader/test/contract/page-reader.ts'
import { openSite, readerOf } from '../local/site.ts'

pageReaderContract('the whole stack', async () => {
  const text = `<article><h1>Bees</h1>${`<p>${'Bees hum, and they make honey. '.repeat(6)}</p>`.repeat(5)}</article>`
  const site = await openSite({ '/bees': text, '/silent': () => {} })
  return {
    reader: createPageStack(readerOf(site.port), {
      cache: { ttlSeconds: 3600 },
      queue: { pace: new HostPace({ perSecond: 0, burst: 1 }) },
    }),
    pageUrl: `${site.origin}/bees`,
    missingUrl: `${site.origin}/wasps`,
    silentUrl: `${site.origin}/silent`,
    dispose: () => site[Symbol.asyncDispose](),
  }
})
