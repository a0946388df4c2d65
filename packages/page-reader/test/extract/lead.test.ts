import { describe, expect, test } from 'bun:test'
import { noStubCases, stubCases } from '@csp/testing/structure/stubs'
import { extractHtml, extractRough } from '../../src/extract/html.ts'
import { PageError } from '../../src/page-error.ts'

describe('a page without words that leads elsewhere says where', () => {
  test.each(stubCases.map(({ name, html, url, lead }) => [name, html, url, lead] as const))(
    '%s',
    (_, html, url, lead) => {
      const read = [extractHtml(html, url, true), extractRough(html, url)]
      expect(read.map(({ leadsTo, contents }) => [leadsTo, contents.markdown])).toEqual([
        [lead, ''],
        [lead, ''],
      ])
    },
  )
})

describe('a page that stays, or has words, is read', () => {
  test.each(noStubCases.map(({ name, html, url }) => [name, html, url] as const))('%s', (_, html, url) => {
    const { leadsTo, contents } = extractHtml(html, url, true)
    expect([leadsTo, contents.markdown.length > 5]).toEqual([undefined, true])
  })
})

const url = 'https://site.example/page'
const leadOf = (html: string) => extractHtml(html, url, true).leadsTo
const refresh = (content: string) => `<meta http-equiv="refresh" content="${content}"><p>Bees hum.</p>`

test.each([
  ['0; url=//other.example/bees?a=1&amp;b=2', 'https://other.example/bees?a=1&b=2'],
  ['0;URL = /bees', 'https://site.example/bees'],
  [' 3 , url=/bees ', 'https://site.example/bees'],
  ["0.5; url='/a b' x", 'https://site.example/a%20b'],
  ['10; url=/bees', 'https://site.example/bees'],
  ['11; url=/bees', undefined],
  ['0; url=', undefined],
  ['0', undefined],
  ['0; url=data:text/html,bees', undefined],
  ['0; url=file:///etc/passwd', undefined],
])('the refresh %j leads to %s', (content, lead) => expect(leadOf(refresh(content))).toBe(lead))

test('the base of the page counts', () => {
  expect(leadOf(`<base href="https://other.example/a/">${refresh('0; url=b')}`)).toBe('https://other.example/a/b')
})

test('a notice of a move may be long beside a link to the new address, and not without one', () => {
  const words = (count: number, link = '') => `${refresh('0; url=/new')}<div>${'bee '.repeat(count)}</div>${link}`
  const link = '<a href="new">x</a>'
  expect([words(22), words(23), words(76, link), words(77, link)].map(leadOf)).toEqual([
    ...['https://site.example/new', undefined, 'https://site.example/new', undefined],
  ])
})

test('a challenge leads nowhere', () => {
  const challenge = '<script src="/.bunny-shield/assets/shield-challenge.js"></script>'
  expect(() => leadOf(refresh('0; url=/new') + challenge)).toThrow(PageError)
})

test('a hostile page takes no long time', () => {
  const many = '<meta http-equiv="refresh" content="0; url=javascript:a()">'.repeat(20_000)
  const long = `<meta http-equiv="refresh" content="0; url=${"'".repeat(300_000)}"><p>Bees hum.</p>`
  expect(leadOf(`${many}<p>Bees hum.</p>`)).toBeUndefined()
  expect(leadOf(long)).toBeUndefined()
  expect(leadOf(`<meta http-equiv="refresh" content="${' '.repeat(300_000)}0;url=/x"><p>Bees hum.</p>`)).toBeUndefined()
})
