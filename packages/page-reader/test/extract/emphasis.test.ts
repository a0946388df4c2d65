import { expect, test } from 'bun:test'
import { extractHtml } from '../../src/extract/html.ts'

const prose = '<p>Words of prose that are long enough to be taken for what the page says.</p>'

function markdownOf(html: string): string {
  const page = `<html><body><main><h1>Title</h1>${prose}${html}${prose}</main></body></html>`
  const { markdown } = extractHtml(page, 'https://example.com/', true).contents
  return markdown.split('\n\n').slice(2, -1).join('\n\n')
}

test.each([
  ['<p><b>Name:&nbsp;</b>a value</p>', '**Name:** a value'],
  ['<p>an<em> article</em>, then</p>', 'an *article*, then'],
  ['<p>of <strong> both </strong>sides</p>', 'of **both** sides'],
  ['<p>one<i><b> word </b></i>more</p>', 'one ***word*** more'],
  ['<p>no<b> </b>word</p>', 'no word'],
  ['<p>no<span> </span>wo<span></span>rd</p>', 'no word'],
  ['<p><b>a <i>whole</i> line</b></p>', '**a *whole* line**'],
])('signs of bold and slanted words stand at the words: %s', (html, expected) => {
  expect(markdownOf(html).replaceAll('\u00a0', ' ')).toBe(expected)
})

test('a break at the end of bold words stands behind them', () => {
  expect(markdownOf('<p><strong>Other:<br></strong>more</p>')).toMatch(/^\*\*Other:\*\* *\\?\nmore$/)
})

test('many, also in one another, are read in bounded time', () => {
  const deep = `${'<b> '.repeat(200)}word${' </b>'.repeat(200)}`
  const html = `<html><body><p>${'<i> x </i>'.repeat(20_000)}<p>${deep}</body></html>`
  const { markdown } = extractHtml(html, 'https://example.com/', false).contents
  expect(markdown).toContain('*x* *x*')
  expect(markdown).toContain('word')
})
