import { expect, test } from 'bun:test'
import type { RequestListener } from 'node:http'
import { openSite, readerOf } from './site.ts'

const redirect =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end()

test.each([
  ['the page itself', '/first', []],
  ['the first redirect', '/second', ['/first']],
  ['the last redirect', '/bees', ['/first', '/second']],
])('%s is asked for only if the caller allows it', async (_name, forbidden, expected) => {
  const site = await openSite({
    '/first': redirect('/second'),
    '/second': redirect('/bees'),
    '/bees': '<p>Bees hum.</p>',
  })
  const reader = readerOf(site.port)
  try {
    const mayVisit = ({ pathname }: URL) => pathname !== forbidden
    const reading = reader.read({ url: `${site.origin}/first` }, { signal: new AbortController().signal, mayVisit })
    await expect(reading).rejects.toMatchObject({ code: expect.any(String) })
    expect(site.paths).toEqual([...expected])
  } finally {
    await reader.close()
    await site[Symbol.asyncDispose]()
  }
})

test('a caller is asked for each address on the way to a page', async () => {
  const site = await openSite({ '/first': redirect('/bees'), '/bees': '<p>Bees hum.</p>' })
  const reader = readerOf(site.port)
  const asked: string[] = []
  try {
    const mayVisit = ({ pathname }: URL) => asked.push(pathname) > 0
    const page = await reader.read({ url: `${site.origin}/first` }, { signal: new AbortController().signal, mayVisit })
    expect(page.finalUrl).toBe(`${site.origin}/bees`)
    expect(asked).toEqual(['/first', '/bees'])
  } finally {
    await reader.close()
    await site[Symbol.asyncDispose]()
  }
})
