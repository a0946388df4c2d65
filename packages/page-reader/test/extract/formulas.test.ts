import { expect, test } from 'bun:test'
import { liveMarkup } from '@csp/testing/rendered'
import { asWritten, withoutFormulas } from '../../src/extract/formulas.ts'
import { extractHtml } from '../../src/extract/html.ts'

// A page alone makes no image, element or link by hiding a backtick of its code in a formula.
const prose = '<p>Seals bark at night, and they swim far in the cold water of the north, as everyone here knows.</p>'

function markdownOf(body: string): string {
  const html = `<html><body><main>${prose}${body}</main></body></html>`
  return extractHtml(html, 'https://seals.example/', true).contents.markdown
}

test.each([
  '<p>$<code>$ ![x](//evil.example/p.png) </code></p>',
  '<p>\\(<code>\\) &lt;img src=x&gt; </code></p>',
  '<p>\\ce{<code>} &lt;img src=x&gt; </code></p>',
  '<p>$$</p><pre><code>x\n$$\n\n&lt;img src=x&gt;</code></pre>',
  '<p>[</p><pre><code>\\]\n\n&lt;img src=x&gt;</code></pre>',
  '<p>\\[</p><pre><code>\\]\n\n&lt;img src=x&gt;</code></pre>',
  '<p>$\\href{https:evil.example}{x}$ \\(\\url{x}\\)</p>',
])('%s', (body) => {
  expect(liveMarkup(markdownOf(body))).toEqual([])
})

test('prices, paths and code stay as they are', () => {
  const markdown = markdownOf('<p>It costs $5 to $10 in C:\\Users [a].</p>')
  expect(markdown).toEndWith('It costs $5 to $10 in C:\\\\Users \\[a].')
  expect(markdownOf('<p>It costs $5.</p><pre><code>$x\n</code></pre>')).toContain('```\n$x\n```')
})

test.each([
  // Without code, only commands that act by themselves.
  ['$a$ \\(a\\) \\[a\\]', '$a$ \\(a\\) \\[a\\]'],
  ['\\url{x} \\href{y} \\ce{z} \\alpha', '&#92;url{x} &#92;href{y} &#92;ce{z} \\alpha'],
  ['<code>a</code> $5', '<code>a</code> $5'],
  ['<code>$</code> $5', '<code>$</code> &#36;5'],
  ['`a` $5 $6', '`a` &#36;5 &#36;6'],
  ['<pre>a</pre> <a title="$ \\(">$5</a>', '<pre>a</pre> <a title="$ \\(">&#36;5</a>'],
  ['<kbd>a</kbd> \\(a\\)', '<kbd>a</kbd> &#92;(a\\)'],
  ['<samp>a</samp> [a] \\[a', '<samp>a</samp> [a] \\[a'],
  ['<code>a</code> [a] \\[a\\]', '<code>a</code> &#91;a] &#92;&#91;a\\]'],
  ['[a] \\[a\\]', '[a] \\[a\\]'],
])('the signs of %s that may begin a formula are entities', (html, written) => {
  expect(asWritten(withoutFormulas(html))).toBe(written)
})
