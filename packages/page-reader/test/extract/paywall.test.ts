import { describe, expect, test } from 'bun:test'
import { extractHtml, extractRough } from '../../src/extract/html.ts'

const url = 'https://news.example/minister'
const begin =
  '<p>The minister resigned on Tuesday after a vote of 312 to 290 in the chamber, ending a week of talks about the budget.</p>'
const rest =
  '<p>Her deputy takes over until a new minister is named, the government said in a short statement before noon.</p>'
const ld = (thing: unknown) => `<script type="application/ld+json">${JSON.stringify(thing)}</script>`
const article = { '@context': 'https://schema.org', '@type': 'NewsArticle', headline: 'Minister resigns' }
const part = (free: unknown, cssSelector: unknown) => ({
  '@type': 'WebPageElement',
  isAccessibleForFree: free,
  cssSelector,
})

/** Whether a page is marked, read with care and roughly. */
function marksOf(head: string, body: string): readonly unknown[] {
  const html = `<html><head><title>Minister resigns</title>${head}</head><body><article><h1>Minister resigns</h1>${body}</article></body></html>`
  return [extractHtml(html, url, true), extractRough(html, url)].map(({ isPaywalled }) => isPaywalled)
}

const yes = [true, true]
const no = [undefined, undefined]

describe('a page of which only subscribers see all is marked', () => {
  test.each([
    ['a boolean', ld({ ...article, isAccessibleForFree: false })],
    ['a word', ld({ ...article, isAccessibleForFree: 'False' })],
    ['an address', ld({ ...article, isAccessibleForFree: 'http://schema.org/False' })],
    ['a graph', ld({ '@graph': [{ '@type': 'WebSite' }, { ...article, isAccessibleForFree: false }] })],
    ['a part', ld({ ...article, isAccessibleForFree: false, hasPart: part(false, '.paywall') })],
    ['a part alone', ld({ ...article, hasPart: [part('False', '.questo-paywall')] })],
    ['microdata', '<meta itemprop="isAccessibleForFree" content="false">'],
    ['its tier', '<meta property="article:content_tier" content="locked">'],
  ])('by %s', (_, head) => expect(marksOf(head, begin.repeat(2))).toEqual(yes))
})

describe('another one is not', () => {
  test.each([
    ['that is free', ld({ ...article, isAccessibleForFree: true }), begin],
    [
      'whose part alone is closed, as a film',
      ld({ ...article, isAccessibleForFree: true, hasPart: part(false, '.film') }),
      begin,
    ],
    [
      'of a list',
      ld([{ '@type': 'ItemList', itemListElement: [{ ...article, isAccessibleForFree: false }] }, article]),
      begin,
    ],
    ['that is counted', '<meta property="article:content_tier" content="metered">', begin],
    [
      'that is sent whole',
      ld({ ...article, isAccessibleForFree: false, hasPart: part(false, '.paywall') }),
      `<div class="body paywall">${rest.repeat(14)}</div>`,
    ],
    [
      'that is sent whole, and hidden until a script shows it',
      ld({ ...article, isAccessibleForFree: false, hasPart: part(false, '.paywall') }),
      `${begin.repeat(2)}<div class="paywall" style="display:none">${rest.repeat(30)}</div>`,
    ],
    ['that is long', ld({ ...article, isAccessibleForFree: false }), rest.repeat(30)],
    [
      'that is about it',
      '',
      '<p>Set <code>"isAccessibleForFree": false</code> in the data of your page, as Google says in its guide.</p>',
    ],
  ])('%s', (_, head, body) => expect(marksOf(head, body)).toEqual(no))
})

test('a hostile selector does nothing', () => {
  for (const selector of ['*', '.a:has(*)', '['.repeat(300), '.x,'.repeat(100_000), { toString: 1 }, null, [['.a']]])
    expect(marksOf(ld({ ...article, isAccessibleForFree: false, hasPart: part(false, selector) }), begin)).toEqual(yes)
})
