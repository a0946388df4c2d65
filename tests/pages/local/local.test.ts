import { cutting } from '../../../src/pages/cut-page.ts'
import { pageReaderContract } from '../../contract/page-reader.ts'
import { fakePageReader, silence } from '../../support/fake-page-reader.ts'
import { openSite, readerOf } from './site.ts'

const sentence = 'Bees are insects that hum, and they make honey, which is sweet, golden and loved by bears. '
const article = `<html lang="en"><body><nav>Menu</nav><article><h1>Bees</h1>${`<p>${sentence.repeat(2)}</p>`.repeat(5)}</article></body></html>`

pageReaderContract('the local reader', async () => {
  const site = await openSite({ '/bees': article, '/silent': () => {} })
  return {
    reader: cutting(readerOf(site.port)),
    pageUrl: `${site.origin}/bees`,
    missingUrl: `${site.origin}/wasps`,
    silentUrl: `${site.origin}/silent`,
    dispose: () => site[Symbol.asyncDispose](),
  }
})

pageReaderContract('the fake of the tests', async () => ({
  reader: fakePageReader({
    'https://bees.example/': `${sentence.repeat(2)}\n\n`.repeat(4),
    'https://silent.example/': silence,
  }),
  pageUrl: 'https://bees.example/',
  missingUrl: 'https://wasps.example/',
  silentUrl: 'https://silent.example/',
}))
