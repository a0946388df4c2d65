import { describe, expect, test } from 'bun:test'
import { extractHtml, extractRough } from '../../src/extract/html.ts'

const prose = (n: number) =>
  `<p>The harbour of the town was closed to all boats on Monday, as the master said in the evening of day ${n}, and nobody knew when it would open.</p>`
const markdownOf = (body: string) =>
  extractHtml(
    `<html><head><title>The harbour</title></head><body><article><h1>The harbour</h1>${prose(1)}${prose(2)}${body}${prose(3)}</article></body></html>`,
    'https://own.example/post',
    true,
  ).contents.markdown

describe('a picture', () => {
  test.each([
    ['that a script loads', '<img src="data:image/gif;base64,R0" data-src="/a.jpg" alt="A boat">'],
    [
      'that a script loads from a set',
      '<img src="/img/placeholder.png" data-srcset="/s.jpg 300w, /a.jpg 900w" alt="A boat">',
    ],
    [
      'of sources',
      '<picture><source srcset="/a.jpg 2x, /s.jpg 1x"><img src="data:image/gif;base64,R0" alt="A boat"></picture>',
    ],
    [
      'for browsers without scripts',
      '<img src="/tiny/blank.gif"><noscript><img src="/a.jpg" alt="x"></noscript>'.replace(
        '<img src="/tiny/blank.gif">',
        '<img src="/tiny/blank.gif" alt="A boat">',
      ),
    ],
    [
      'in a figure',
      '<figure><a href="/large"><img src="/a.jpg" alt="A boat"></a><figcaption>Photo: Ann Berg</figcaption></figure>',
    ],
    [
      'whose caption alone says what it shows',
      '<figure><div><img src="/a.jpg" alt=""></div><figcaption>A boat</figcaption></figure>',
    ],
  ])('%s has the address that is shown, and its words', (_, body) => {
    expect(markdownOf(body)).toMatch(/!\[A boat\]\(https:\/\/own\.example\/a\.jpg\)/)
  })

  test('that only counts who reads is none', () => {
    expect(
      markdownOf('<p>Boats<img width="1" height="1" src="https://count.example/x.gif" alt="x"></p>'),
    ).not.toContain('count.example')
  })
})

test.each([
  [
    'Obsidian',
    '<div class="callout" data-callout="tip"><div class="callout-title">Mind the tide</div><p>It turns at noon.</p></div>',
    'tip',
  ],
  [
    'MkDocs',
    '<div class="admonition warning"><p class="admonition-title">Mind the tide</p><p>It turns at noon.</p></div>',
    'warning',
  ],
  [
    'GitHub',
    '<div class="markdown-alert markdown-alert-note"><p class="markdown-alert-title">Mind the tide</p><p>It turns at noon.</p></div>',
    'note',
  ],
  [
    'VitePress',
    '<div class="danger custom-block"><p class="custom-block-title">Mind the tide</p><p>It turns at noon.</p></div>',
    'danger',
  ],
  [
    'Starlight',
    '<aside class="starlight-aside starlight-aside--caution"><p class="starlight-aside__title">Mind the tide</p><p>It turns at noon.</p></aside>',
    'caution',
  ],
  [
    'Bootstrap',
    '<div class="alert alert-info"><h4 class="alert-heading">Mind the tide</h4><p>It turns at noon.</p></div>',
    'info',
  ],
])('a callout of %s is a quotation that says its kind', (_, body, kind) => {
  expect(markdownOf(body)).toContain(`> [!${kind}] Mind the tide\n>\n> It turns at noon.`)
})

test('a callout says its kind in plain text and in a rough reading as well', () => {
  const box =
    '<div class="admonition warning"><p class="admonition-title">Mind the tide</p><p>It turns at noon.</p></div>'
  const html = `<html><body><article>${prose(1)}${box}${prose(2)}</article></body></html>`
  const { contents } = extractHtml(html, 'https://own.example/post', true)
  const rough = extractRough(html, 'https://own.example/post').contents.markdown
  for (const text of [contents.text, contents.html, rough]) expect(text).toContain('[!warning] Mind the tide')
})

test('tabs with code are all shown, each under its name', () => {
  const tabs = `<div><ul role="tablist"><li role="tab">npm</li><li role="tab">yarn</li></ul>
    <div><div role="tabpanel"><pre><code>npm install boats</code></pre></div><div role="tabpanel" hidden><pre><code>yarn add boats</code></pre></div></div></div>`
  expect(markdownOf(tabs)).toMatch(
    /\*\*npm\*\*\n\n```\nnpm install boats\n```\n\n\*\*yarn\*\*\n\n```\nyarn add boats\n```/,
  )
})

test.each([
  [
    'at the edge',
    '<div><div><p>It is old.<sup class="aside-link">1</sup></p></div><aside><ol start="1"><li>Older than the town.</li></ol></aside></div>',
  ],
  [
    'in a part named after them',
    '<p>It is old<sup>1</sup>.</p><div class="page__footnotes"><h4>Footnotes</h4><ol><li id="f-1">Older than the town.</li></ol></div>',
  ],
  [
    'of Word',
    '<p>It is old<sup><a href="#_ftn1">[1]</a></sup>.</p><hr><p><sup><a href="//6CB5#_ftnref1">[1]</a></sup> Older than the town.</p>',
  ],
  [
    'of Texinfo',
    '<p>It is old<a class="footnote" href="#FOOT1"><sup>1</sup></a>.</p><h5><a id="FOOT1" href="#DOCF1">(1)</a></h5><p>Older than the town.</p>',
  ],
])('a note %s is kept', (_, body) => {
  expect(markdownOf(body)).toContain('Older than the town.')
})

test.each([
  [
    'of Writerside',
    '<div class="code-block" data-lang="kotlin">\n  fun main() {\n      launch()\n  }\n</div>',
    'kotlin',
    'fun main() {\n    launch()\n}',
  ],
  [
    'of Verso, with what it says when it is pointed at',
    '<code class="hl lean block">def m : Nat := 1<span class="hover-info">Nat : Type</span>\ndef n := m</code>',
    '',
    'def m : Nat := 1\ndef n := m',
  ],
  [
    'below a bar in its own element',
    '<pre><div class="code-header"><span>Python</span> <button>Copy</button></div><code class="language-python">one()\ntwo()</code></pre>',
    'python',
    'one()\ntwo()',
  ],
  [
    'of an editor',
    '<pre><div>Python</div><div class="cm-editor"><div class="cm-content"><div class="cm-line">one()</div><div class="cm-line"><br></div><div class="cm-line">two()</div></div></div></pre>',
    '',
    'one()\n\ntwo()',
  ],
  [
    'with numbers that no name tells',
    '<pre><code><span><span>8</span><span>one()</span></span>\n<span><span>9</span><span>two()</span></span></code></pre>',
    '',
    'one()\ntwo()',
  ],
  [
    'in a wrapper that is code as well',
    '<code class="wrap"><pre><code>one()\ntwo()</code></pre></code>',
    '',
    'one()\ntwo()',
  ],
  [
    'with digits that are its own',
    '<pre><code><span><i>1</i><b>+1</b></span>\n<span><i>5</i><b>+1</b></span></code></pre>',
    '',
    '1+1\n5+1',
  ],
])('code %s is verbatim', (_, body, language, code) => {
  expect(markdownOf(body)).toContain(`\`\`\`${language}\n${code}\n\`\`\``)
})
