import { describe, expect, test } from 'bun:test'
import { extract } from '../../src/extract/extract.ts'
import { withServed } from '../../src/local/served.ts'
import type { WholePageReader } from '../../src/whole-page.ts'

const html =
  '<title>The lamp</title><nav>Menu</nav><article><h1>The lamp</h1><p>It was lit in 1903, for the ships that came in by night.</p></article>'
const asked: string[] = []
const inner: WholePageReader = {
  async read({ url }) {
    asked.push(url)
    throw new Error('the network')
  },
  async close() {},
}
const own = (url: URL) =>
  url.hostname !== 'lamps.example' ? undefined : url.pathname === '/lamp' ? html : ('missing' as const)
const reader = withServed(inner, { warm() {}, extract, close() {} }, own)
const context = { signal: new AbortController().signal }

describe('a page of the program itself', () => {
  test('is read as any other, without the network', async () => {
    const page = await reader.read({ url: 'https://lamps.example/lamp' }, context)
    expect(page).toMatchObject({ title: 'The lamp', status: 200, finalUrl: 'https://lamps.example/lamp' })
    expect(page.contents.text).toContain('It was lit in 1903')
    expect(page.contents.text).not.toContain('Menu')
    expect(asked).toEqual([])
  })

  test.each([
    ['that does not exist', { url: 'https://lamps.example/other' }, context, 'not-found'],
    [
      'that the request excludes',
      { url: 'https://lamps.example/lamp' },
      { ...context, mayVisit: () => false },
      'not-allowed',
    ],
    ['after its caller has left', { url: 'https://lamps.example/lamp' }, { signal: AbortSignal.abort() }, 'cancelled'],
  ])('%s is an error, and the site is not asked', async (_, request, around, code) => {
    expect(await reader.read(request, around).catch((error) => error.code)).toBe(code)
    expect(asked).toEqual([])
  })

  test.each(['https://other.example/lamp', 'http://10.0.0.1/lamp', 'lamps.example'])(
    'is nothing else: %s is left to the reader of the web',
    async (url) => {
      asked.length = 0
      await reader.read({ url }, context).catch(() => undefined)
      expect(asked).toEqual([url])
    },
  )
})
