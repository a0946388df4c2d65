import { expect, test } from 'bun:test'
import { KeptBodies } from '@csp/page-reader/local/kept-bodies'
import { eventually } from '@csp/testing/eventually'
import { cutting } from '../../../packages/page-reader/src/cut-page.ts'
import { pageReaderContract } from '../../../packages/page-reader/test/contract/page-reader.ts'
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

test('a redirected request waits for its turn', async () => {
  const site = await openSite({
    '/old': (_, response) => void response.writeHead(301, { location: '/bees' }).end(),
    '/bees': article,
  })
  const { promise: turn, resolve: give } = Promise.withResolvers<void>()
  const asked: string[] = []
  const onRedirect = (url: string) => {
    asked.push(url)
    return turn
  }
  const reader = readerOf(site.port, { onRedirect })
  try {
    const reading = reader.read({ url: `${site.origin}/old` }, { signal: new AbortController().signal })
    await eventually(() => asked.length === 1)
    await Bun.sleep(20)
    expect(site.paths).toEqual(['/old'])
    give()
    expect((await reading).finalUrl).toBe(`${site.origin}/bees`)
    expect(asked).toEqual([`${site.origin}/bees`])
  } finally {
    await reader.close()
    await site[Symbol.asyncDispose]()
  }
})

test('a page that was read roughly is read with care without another request, unless it shall be fetched again', async () => {
  const site = await openSite({ '/bees': article })
  const callers: unknown[] = []
  const onFetched = (caller: unknown) => void callers.push(caller)
  const reader = readerOf(site.port, { bodies: new KeptBodies(3600), onFetched })
  const request = { url: `${site.origin}/bees` }
  const { signal } = new AbortController()
  try {
    const rough = await reader.read({ ...request, isRough: true }, { signal })
    expect(rough.contents.text).toBe('')
    for (let round = 0; round < 2; round++) {
      const page = await reader.read(request, { signal })
      expect(page.contents.text).toContain('Bees are insects')
      expect(page).toMatchObject({ finalUrl: request.url, status: 200 })
    }
    expect(site.paths).toEqual(['/bees'])
    await reader.read(request, { signal, cache: 'no-cache', caller: 'phone' })
    expect(callers).toEqual([undefined, 'phone'])
    await reader.read({ ...request, isRough: true }, { signal, cache: 'no-store' })
    await reader.read({ ...request, language: 'de' }, { signal })
    expect(site.paths).toHaveLength(4)
  } finally {
    await reader.close()
    await site[Symbol.asyncDispose]()
  }
})
