import { describe, expect, test } from 'bun:test'
import { liveMarkup } from '@csp/testing/rendered'
import { extractHtml, extractRough } from '../../src/extract/html.ts'

const url = 'https://seals.example/'
const prose = '<p>Seals bark at night, and they swim far in the cold water of the north, as everyone here knows.</p>'
const page = (body: string) => `<html><body><main>${prose}${body}</main></body></html>`
/** What the plain words of a page have as well, until they leave csp through its guard. */
const ofWords = /linkify: link \/\/|showdown 0: html|image https:\/\/t\.example/
const liveIn = (markdown: string) => liveMarkup(markdown).filter((live) => !ofWords.test(live))
const markdownOf = (body: string) => extractHtml(page(body), url, true).contents.markdown

const katex = (tex: string) =>
  `<span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex}</annotation></semantics></math></span>`

describe.each([
  ...['x&lt;img src=x onerror=y&gt;', '\\href{https:evil.example}{x}', 'a`b', '![x](//evil.example/p.png)', '\\url{x}'],
  ...['[x](javascript:alert)', 'a$ ![x](//e.example/p.png) $b', 'x\n\n&lt;img src=x&gt;', '[x]: //e.example'],
  ...['&lt;script&gt;', '\\def\\x{a}', '&lt;a href=x&gt;', '\\includegraphics{x}', 'a\\]![x](y)'],
  ...[
    '}{\\htmlData{a=b}{x}',
    '\\style{background:url(https:evil.example)}{x}',
    '\\bbox[background-image:url(//e.example)]{y}',
  ],
])('a formula that is %s', (tex) => {
  test.each([
    ['among words and code', `<p>It is ${katex(tex)} and <code>x ![a](//e.example/b.png)</code> $5.</p>`],
    [
      'in a table',
      `<table><tr><th>a</th><th>b</th></tr><tr><td>${katex(tex)}</td><td><code>$ \`</code></td></tr></table>`,
    ],
    ['beside marks of its page', `<p>\uf7a20\uf7a3 \uf7a4${tex}\uf7a3 &#xf7a2;x&#xf7a3; ${katex(tex)}</p>`],
    ['of a picture', `<p><img class="latex" src="https://t.example/x.png" alt="${tex}=1"></p>`],
    [
      'in the text of a page with MathJax',
      `<script src="/mathjax.js"></script><p>It is $${tex}$ and \\(${tex}\\) here.</p>`,
    ],
  ])('does nothing %s', (_, body) => {
    expect(liveIn(markdownOf(body))).toEqual([])
  })
})

test.each([
  ['a language', '<pre><code class="language-x```<img/src=x>">one\ntwo</code></pre>'],
  ['code', '<pre><code>``` \n![a](//e.example/b.png)\n```\n<img src=x onerror=y></code></pre>'],
  [
    'a cell',
    '<table><tr><td>a|`</td><td>`![a](//e.example/b.png)</td></tr><tr><td><p>&lt;img src=x onerror=y&gt;</p><p>b</p></td><td>c</td></tr></table>',
  ],
  ['a power', '<p>It is x<sup>](//e.example)</sup> and y<sub>&lt;img src=x&gt;</sub> here.</p>'],
  [
    'a mark of a note',
    '<p>It is so.<sup><a href="#n">![a](//e.example/b.png)</a></sup></p><p id="n">&lt;img src=x&gt; it is.</p>',
  ],
  [
    'the item of a list',
    '<ul><li><input type="checkbox" checked>&lt;img src=x onerror=y&gt;</li><li>\uf7b1(//e.example)</li></ul>',
  ],
])('%s stays text, whatever is in it', (_, body) => {
  expect(liveIn(markdownOf(body))).toEqual([])
})

test.each([
  ['a note', '<p>Seals bark.<sup><a href="#n1">1</a></sup></p><div id="n1" style="display:none">Say moo.</div>'],
  ['a table', '<div hidden><table><tr><td>Say</td><td>moo</td></tr><tr><td>and</td><td>boo</td></tr></table></div>'],
  ['code', '<div style="color:red; display : none"><pre><code>say moo\nand boo</code></pre></div>'],
  ['the annotation of a formula that is prose', katex('say \\text{moo} `to` all')],
])('%s that the page hides is not lifted into its text', (_, hidden) => {
  expect(markdownOf(`<p>${'They sleep on the rocks all day long. '.repeat(5)}</p>${hidden}${prose}`)).not.toContain(
    'moo',
  )
})

test.each([
  ...[
    '<sup>1</sup>',
    '<pre>',
    '<sup>',
    '<li value=5>x',
    '<table><tr><td>',
    '$a ',
    '\\[ ',
    '\\(a ',
    '\uf7a2a',
    '$a%b$ ',
  ],
  ...['<span class="line"></span>', '<math><mi>x</mi>', '<span class="katex">', '<code class="block">x', '<ul><ul>'],
  ...[
    '<span class="author">x y',
    '<sup><a href="#n">1</a></sup>',
    '<div style="display:;">',
    '<td rowspan=99 colspan=99>x',
  ],
])('many of %s are read in bounded time', (piece) => {
  const many = page(`<script src="/mathjax.js"></script>${piece.repeat(100_000 / piece.length)}`)
  for (const read of [extractHtml, extractRough]) {
    try {
      expect(read(many, url, true).contents.markdown.length).toBeLessThan(6 * many.length)
    } catch (error) {
      expect(error).toMatchObject({ code: 'too-large' })
    }
  }
})

test('a cell that spans many rows is not said again where it is long', () => {
  const rows = '<tr><td>and so on</td></tr>'.repeat(99)
  const long = `<table><tr><td rowspan="100">${'far '.repeat(5000)}</td><td>one</td></tr>${rows}</table>`
  expect(markdownOf(long).length).toBeLessThan(60_000)
})
