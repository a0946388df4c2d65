import { afterAll, describe, expect, test } from 'bun:test'
import { extract } from '@csp/page-reader/extract/extract'
import { Extractor } from '@csp/page-reader/extract/pool'
import { PageError } from '@csp/page-reader/page-error'
import { longestTurn } from '@csp/testing/longest-turn'
import { dateOf } from '../../../packages/page-reader/src/extract/dates/written.ts'
import { languageOf, line } from '../../../packages/page-reader/src/extract/metadata.ts'
import { openPageReader } from '../../../src/runtime/server/open-page-reader.ts'

const length = 100_000
const of = (unit: string): string => unit.repeat(length / unit.length)
const bodyOf = (text: string) => new TextEncoder().encode(text)

/** In a process of their own, so the time is bounded by far less than what a list waits for its pages. */
describe('100 KB that are made to be slow to read', () => {
  test.each<readonly [name: string, body: string, contentType?: string]>([
    ['spaces before a letter', `<pre>a${of(' ')}b`],
    ['tabs before a letter', `<pre>a${of('\t')}b`],
    ['open tags', of('<a ')],
    ['open types', of('<!doctype')],
    ['open comments', of('<!--')],
    ['open heads', of('</head')],
    ['open entities', `<p>&${of('a')}`],
    ['entities', `<p>${of('&')}`],
    ['marks of Markdown', `<p>${of('*')} ${of('_')} ${of('[')}`],
    ['backticks', `<pre><code>${of('`')}`],
    ['escapes of terminals', `<p>a${of('\x1b[')}`],
    ['invisible letters', `<p>a${of('\u200b')}`],
    ['blank items', `<p>a<ul>${of('<li><a href=x></a></li>')}`],
    ['blank links', `<p>a${of('<a href=x><b></b></a>')}`],
    ['lines of a heading', `<p>a<h2>${of('<br>')}`],
    ['dates far from a title', `<title>${of('a ')}</title><h1>${of('<b class=date>')}`],
    ['attributes', `<p ${Array.from({ length: 12_000 }, (_, index) => `a${index}`).join(' ')}>a`],
    ['dates in tags', `<article>${of('<a itemprop=datePublished ')}`],
    ['structured data', `<script type="application/ld+json">${of('[')}</script><p>a`],
    ['types of structured data', `<script type="application/ld+json">{"@type":"${of('Article')}"}</script><p>a`],
    ['a language', `<html lang="${of('a-')}"><p>a`],
    ['a language of many parts', `<html lang="en${of('-abcde')}"><p>a`],
    ['text', of('# '), 'text/plain'],
    ['a title without end', `#${of(' ')}`, 'text/plain'],
    ['JSON', of('['), 'application/json'],
    ['an encoding', of('charset '), `text/html; ${of('charset ')}`],
    ['a type', of('a'), `${of('a')}/${of('b')}`],
    ['a PDF', `%PDF-1.7\n${of('1 0 obj\n')}`, 'application/pdf'],
  ])('%s', async (_, body, contentType = 'text/html') => {
    for (const isRough of [true, false]) {
      const extraction = { body: bodyOf(body), contentType, url: 'https://a.example/', mainContentOnly: true, isRough }
      const reading = () =>
        extract(extraction).catch((error: unknown) => {
          if (!(error instanceof PageError)) throw error
        })
      expect(await longestTurn(reading, 1000)).toBeLessThan(1000)
    }
  })

  test.each([
    ['a date', () => dateOf(`${of('2')}-${of('1')}`)],
    ['a date behind spaces', () => dateOf(`${of(' ')}2`)],
    ['a language', () => languageOf(of('a-'), `en${of('-x')}`)],
    ['a title', () => line(of(' \u200b'), 500)],
    ['signs of a title', () => line(of('&#38;&'), 500)],
  ])('%s that the server itself reads', async (_, work) => expect(await longestTurn(work, 250)).toBeLessThan(250))
})

describe('a page without end', () => {
  const extractor = new Extractor({ openReader: openPageReader, maxReaders: 1, timeoutMs: 2000 })
  afterAll(() => extractor.close())

  test.each([
    ['spaces', `<pre>a${' '.repeat(1_900_000)}b`],
    ['deep lists', '<ul><li>'.repeat(190) + '<li>a'.repeat(350_000)],
    ['elements', '<b>a</b>'.repeat(230_000)],
  ])('of %s does not keep the server busy', async (_, body) => {
    const extraction = {
      body: bodyOf(body),
      contentType: 'text/html',
      url: 'https://a.example/',
      mainContentOnly: true,
    }
    const reading = () =>
      extractor
        .extract(extraction, new AbortController().signal)
        .catch((error: unknown) => expect(error).toBeInstanceOf(PageError))
    expect(await longestTurn(reading, 250)).toBeLessThan(250)
  })
})
