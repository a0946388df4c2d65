import { describe, expect, test } from 'bun:test'
import { PageError } from '@csp/page-reader/page-error'
import { fakePageReader } from '../../../support/fake-page-reader.ts'
import { testApp } from '../../test-app.ts'

const reader = () =>
  fakePageReader({
    'https://bees.example/': { content: '# Bees', title: 'Bees', language: 'en' },
    'https://walled.example/': new PageError('blocked-by-status', 'The site answered 403.', { status: 403 }),
  })
const load = (body: object, pages = reader()) =>
  testApp(undefined, { pages, keys: ['key'] }).post('/open-webui/loader', body, { authorization: 'Bearer key' })

describe("Open WebUI's loader", () => {
  test('gets a bare list of the pages that could be read', async () => {
    const { status, body } = await load({ urls: ['https://walled.example/', 'https://bees.example/'] })
    expect(status).toBe(200)
    expect(body).toEqual([
      { page_content: '# Bees', metadata: { source: 'https://bees.example/', title: 'Bees', language: 'en' } },
    ])
  })

  test('gets the reason where no page could be read', async () => {
    const { status, body } = await load({ urls: ['https://walled.example/'] })
    expect([status, body]).toEqual([422, { error: 'The site answered 403.' }])
  })

  test.each([{}, { urls: [] }, { urls: Array(101).fill('https://bees.example/') }])('is refused %j', async (ask) => {
    const pages = reader()
    const { status, body } = await load(ask, pages)
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/^urls: /) }])
    expect(pages.requests).toEqual([])
  })
})
