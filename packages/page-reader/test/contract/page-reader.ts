import { afterAll, describe, expect, test } from 'bun:test'
import { PageError } from '../../src/page-error.ts'
import type { PageReader } from '../../src/page-reader.ts'

export interface PageReaderFixture {
  readonly reader: PageReader
  /** A page of at least three paragraphs, more than 300 characters in all. */
  readonly pageUrl: string
  readonly missingUrl: string
  /** A page that never answers. */
  readonly silentUrl: string
  readonly dispose?: (() => PromiseLike<void>) | undefined
}

/** Registers the tests that everything that reads pages must pass. */
export function pageReaderContract(name: string, open: () => Promise<PageReaderFixture>): void {
  describe(`${name} keeps the contract of a page reader:`, () => {
    let opened: Promise<PageReaderFixture> | undefined
    const fixture = () => {
      opened ??= open()
      return opened
    }
    const context = () => ({ signal: new AbortController().signal })
    afterAll(async () => {
      const { reader, dispose } = await fixture()
      await reader.close()
      await reader.close()
      await dispose?.()
    })

    test('it reads a page, whole where no part is asked for', async () => {
      const { reader, pageUrl } = await fixture()
      const page = await reader.read({ url: pageUrl }, context())
      expect(page).toMatchObject({ url: pageUrl, status: 200, format: 'markdown', offset: 0, remaining: 0 })
      expect(page.content.length).toBeGreaterThan(300)
      expect(page.totalCharacters).toBe(page.content.length)
    })

    test('parts that are read one after the other make the whole', async () => {
      const { reader, pageUrl } = await fixture()
      const whole = await reader.read({ url: pageUrl }, context())
      let text = ''
      for (let remaining = 1; remaining > 0; ) {
        const part = await reader.read({ url: pageUrl, offset: text.length, maxCharacters: 97 }, context())
        expect(part.offset).toBe(text.length)
        expect(part.content.length).toBeWithin(1, 98)
        expect(part.totalCharacters).toBe(whole.totalCharacters)
        text += part.content
        remaining = part.remaining
        expect(remaining).toBe(whole.totalCharacters - text.length)
      }
      expect(text).toBe(whole.content)
    })

    test('an offset behind the end gives nothing, and says so', async () => {
      const { reader, pageUrl } = await fixture()
      const page = await reader.read({ url: pageUrl, offset: 10_000_000 }, context())
      expect(page).toMatchObject({ content: '', remaining: 0 })
      expect(page.offset).toBe(page.totalCharacters)
    })

    test('a page that is not there is not-found', async () => {
      const { reader, missingUrl } = await fixture()
      expect(await failureOf(reader.read({ url: missingUrl }, context()))).toBe('not-found')
    })

    test('a request that was cancelled before is cancelled', async () => {
      const { reader, pageUrl } = await fixture()
      const signal = AbortSignal.abort()
      expect(await failureOf(reader.read({ url: pageUrl }, { signal }))).toBe('cancelled')
    })

    test('a request whose time is over is a timeout', async () => {
      const { reader, pageUrl } = await fixture()
      const signal = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
      expect(await failureOf(reader.read({ url: pageUrl }, { signal }))).toBe('timeout')
    })

    test('an abort while a page is read ends it at once', async () => {
      const { reader, silentUrl } = await fixture()
      const own = new AbortController()
      const failure = failureOf(reader.read({ url: silentUrl }, { signal: own.signal }))
      setTimeout(() => own.abort(), 50)
      expect(await failure).toBe('cancelled')
      const inTime = { signal: AbortSignal.timeout(50) }
      expect(await failureOf(reader.read({ url: silentUrl }, inTime))).toBe('timeout')
    })
  })
}

/** The code of the `PageError` that a reading fails with; anything else fails the test. */
export async function failureOf(reading: Promise<unknown>): Promise<PageError['code']> {
  const error = await reading.then(
    (page) => page,
    (thrown: unknown) => thrown,
  )
  if (error instanceof PageError) return error.code
  throw new Error(`This is no PageError: ${JSON.stringify(error)}`, { cause: error })
}
