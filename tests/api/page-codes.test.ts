import { describe, expect, test } from 'bun:test'
import { PageError, pageErrorCodes } from '@csp/page-reader/page-error'
import { failureOf } from '../../src/api/http/failure-of.ts'
import { writtenPageCode } from '../../src/domain/unread-pages.ts'
import { fakePageReader } from '../support/fake-page-reader.ts'
import { testApp } from './test-app.ts'

// Why a page could not be read, in every route that reads pages.

const good = 'https://good.example/'
const bad = 'https://bad.example/'
// What a caller does by going away is no reply.
const codes = pageErrorCodes.filter((code) => code !== 'cancelled')

function appFor(code: (typeof codes)[number]) {
  return testApp(undefined, { pages: fakePageReader({ [good]: 'Bees.', [bad]: new PageError(code, 'Said why.') }) })
}

describe.each(codes.map((code) => [writtenPageCode(code), code] as const))(
  'a page that fails by %s',
  (written, code) => {
    const { post, log } = appFor(code)

    test.each([
      ['/v1/extract', 'failed.0.code', written],
      ['/tavily/extract', 'failed_results.0.code', written],
      ['/exa/contents', 'statuses.1.error.message', 'Said why.'],
      ['/parallel/v1/extract', 'errors.0.error_type', written],
    ])('beside another at %s', async (path, place, said) => {
      const { status, headers, body } = await post(path, { urls: [good, bad] })
      expect([status, headers.get('x-csp-pages')]).toEqual([200, `read, ${written}`])
      expect(body).toHaveProperty(place, said)
    })

    test('beside another, where the reply has no place for it', async () => {
      const { status, headers, body } = await post('/open-webui/loader', { urls: [bad, good] })
      expect([status, headers.get('x-csp-pages'), body.length]).toEqual([200, `${written}, read`, 1])
    })

    const { code: whole } = failureOf(new PageError(code, ''))
    const alone = whole === 'page-unreadable' ? code : whole
    const name = `${alone.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
    const details = whole === 'page-unreadable' ? [{ field: 'url', message: written }] : []

    test.each([
      ['/firecrawl/v2/scrape', 'code', alone.replaceAll('-', '_').toUpperCase()],
      ['/r', 'name', name],
      ['/linkup/v1/fetch', 'error.details', details],
      ['/serper/scrape', 'message', 'Said why.'],
    ])('alone at %s', async (path, place, said) => {
      const { status, headers, body } = await post(path, { url: bad })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(headers.get('x-csp-pages')).toBe(written)
      expect(body).toHaveProperty(place, said)
    })

    test('is in the log, without its address', () => {
      expect(log.at(-1)).toMatchObject({ pages: 0, unread: 1, unreadCodes: [code] })
      expect(JSON.stringify(log)).not.toContain('bad.example')
    })
  },
)

test('a reply that reads no pages has no word of them', async () => {
  const { headers } = await testApp().request('/v1/search?q=bees')
  expect(headers.get('x-csp-pages')).toBeNull()
})
